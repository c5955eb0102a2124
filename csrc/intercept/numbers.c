/* Calls that take the number of a process or a thread. The program's own numbers are ours (random.c), and unknown to the kernel:
 * the caller, whom the kernel calls 0, stands for every thread of the program, because what is set for a single one is not
 * followed. */
#define _GNU_SOURCE
#include "intercept/numbers.h"
#include "intercept/told.h"
#include "runtime/real.h"
#include "runtime/runtime.h"
#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

/* Where other processes belong to the program, one of them may have the number that another thread of ours would get. */
static bool is_own(pid_t number)
{
    if (!bpor_controlled() || number <= 0)
        return false;
    pid_t first = getpid(), threads = bpor->shared->config.family ? 1 : (pid_t)bpor->threads;
    return (number >= first && number < first + threads) || number == gettid();
}

pid_t bpor_kernel_number(pid_t number)
{
    return is_own(number) ? 0 : number;
}

#define NUMBER_CALL(result, name, parameters, arguments)                                                                         \
    INTERCEPT result name parameters                                                                                             \
    {                                                                                                                            \
        who = bpor_kernel_number(who);                                                                                           \
        return REAL(name) arguments;                                                                                             \
    }

NUMBER_CALL(int, sched_setaffinity, (pid_t who, size_t bytes, const cpu_set_t *set), (who, bytes, set))
NUMBER_CALL(int, sched_getscheduler, (pid_t who), (who))
NUMBER_CALL(int, sched_setscheduler, (pid_t who, int policy, const struct sched_param *parameters), (who, policy, parameters))
NUMBER_CALL(int, sched_getparam, (pid_t who, struct sched_param *parameters), (who, parameters))
NUMBER_CALL(int, sched_setparam, (pid_t who, const struct sched_param *parameters), (who, parameters))
NUMBER_CALL(int, sched_rr_get_interval, (pid_t who, struct timespec *interval), (who, interval))
NUMBER_CALL(pid_t, getpgid, (pid_t who), (who))
NUMBER_CALL(pid_t, getsid, (pid_t who), (who))
NUMBER_CALL(int, setpgid, (pid_t who, pid_t group), (who, bpor_kernel_number(group)))
NUMBER_CALL(int, clock_getcpuclockid, (pid_t who, clockid_t *clock), (who, clock))

/* Of whichever thread: time is ours as well. */
INTERCEPT int pthread_getcpuclockid(pthread_t handle, clockid_t *clock)
{
    if (!bpor_controlled())
        return REAL(pthread_getcpuclockid)(handle, clock);
    clockid_t own = CLOCK_THREAD_CPUTIME_ID;
    bpor_told_store(clock, &own, sizeof own, CALL_SITE);
    return 0;
}
