/* The number of processors: the program gets the number that it would see without us, although we run it on one. */
#define _GNU_SOURCE
#include "intercept/numbers.h"
#include "runtime/real.h"
#include "runtime/runtime.h"
#include <sched.h>
#include <sys/sysinfo.h>
#include <unistd.h>

static bool known(void)
{
    return bpor_self != NULL && bpor->shared->config.processors > 0;
}

INTERCEPT int get_nprocs(void)
{
    return known() ? (int)bpor->shared->config.processors : REAL(get_nprocs)();
}

INTERCEPT long sysconf(int name)
{
    return known() && name == _SC_NPROCESSORS_ONLN ? (long)bpor->shared->config.processors : REAL(sysconf)(name);
}

INTERCEPT int sched_getaffinity(pid_t process, size_t bytes, cpu_set_t *set)
{
    int result = REAL(sched_getaffinity)(bpor_kernel_number(process), bytes, set);
    if (result < 0 || !known())
        return result;
    CPU_ZERO_S(bytes, set);
    for (unsigned i = 0; i < bpor->shared->config.processors && i < 8 * bytes; i++)
        CPU_SET_S(i, bytes, set);
    return result;
}
