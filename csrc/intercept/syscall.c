/* syscall(): a call by number that blocks, creates a process or thread, or reads a clock has the effect of the function with its
 * name. A number without a row is passed on, and named by the verdict. */
#define _GNU_SOURCE
#include "intercept/syscall.h"
#include "intercept/numbers.h"
#include "machine/filter.h"
#include "memory/instrumented.h"
#include "process/system_calls.h"
#include "process/untold.h"
#include "runtime/real.h"
#include "runtime/runtime.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* clock_nanosleep returns its error. */
static long as_system_call(int error)
{
    errno = error;
    return error ? -1 : 0;
}

/* The functions named here are our own. */
#define BY_NAME(number, call)                                                                                                    \
    case number:                                                                                                                 \
        *answer = call;                                                                                                          \
        return true;

static bool process_by_name(long number, const long a[6], long *answer)
{
    switch (number) {
        BY_NAME(SYS_getpid, getpid())
        BY_NAME(SYS_gettid, gettid())
        BY_NAME(SYS_getppid, getppid())
        BY_NAME(SYS_kill, kill((pid_t)a[0], (int)a[1]))
        BY_NAME(SYS_tkill, tgkill(getpid(), (pid_t)a[0], (int)a[1]))
        BY_NAME(SYS_tgkill, tgkill((pid_t)a[0], (pid_t)a[1], (int)a[2]))
        BY_NAME(SYS_prctl, prctl((int)a[0], a[1], a[2], a[3], a[4]))
        BY_NAME(SYS_getrandom, getrandom((void *)a[0], (size_t)a[1], (unsigned)a[2]))
        BY_NAME(SYS_sched_yield, sched_yield())
        BY_NAME(SYS_nanosleep, nanosleep((const struct timespec *)a[0], (struct timespec *)a[1]))
        BY_NAME(SYS_clock_gettime, clock_gettime((clockid_t)a[0], (struct timespec *)a[1]))
        BY_NAME(SYS_gettimeofday, gettimeofday((struct timeval *)a[0], (void *)a[1]))
        BY_NAME(SYS_time, time((time_t *)a[0]))
        BY_NAME(SYS_clock_nanosleep, as_system_call(clock_nanosleep((clockid_t)a[0], (int)a[1], (const struct timespec *)a[2],
                                                                    (struct timespec *)a[3])))
    case SYS_exit_group:
        _exit((int)a[0]);
    default:
        return false;
    }
}

static bool descriptor_by_name(long number, const long a[6], long *answer)
{
    switch (number) {
        BY_NAME(SYS_read, read((int)a[0], (void *)a[1], (size_t)a[2]))
        BY_NAME(SYS_write, write((int)a[0], (const void *)a[1], (size_t)a[2]))
        BY_NAME(SYS_readv, readv((int)a[0], (const struct iovec *)a[1], (int)a[2]))
        BY_NAME(SYS_writev, writev((int)a[0], (const struct iovec *)a[1], (int)a[2]))
        BY_NAME(SYS_recvfrom,
                recvfrom((int)a[0], (void *)a[1], (size_t)a[2], (int)a[3], (struct sockaddr *)a[4], (socklen_t *)a[5]))
        BY_NAME(SYS_sendto, sendto((int)a[0], (void *)a[1], (size_t)a[2], (int)a[3], (struct sockaddr *)a[4], (socklen_t)a[5]))
        BY_NAME(SYS_recvmsg, recvmsg((int)a[0], (struct msghdr *)a[1], (int)a[2]))
        BY_NAME(SYS_sendmsg, sendmsg((int)a[0], (const struct msghdr *)a[1], (int)a[2]))
        BY_NAME(SYS_accept, accept((int)a[0], (struct sockaddr *)a[1], (socklen_t *)a[2]))
        BY_NAME(SYS_accept4, accept4((int)a[0], (struct sockaddr *)a[1], (socklen_t *)a[2], (int)a[3]))
        BY_NAME(SYS_socketpair, socketpair((int)a[0], (int)a[1], (int)a[2], (int *)a[3]))
        BY_NAME(SYS_fcntl, fcntl((int)a[0], (int)a[1], a[2]))
        BY_NAME(SYS_dup, dup((int)a[0]))
        BY_NAME(SYS_dup2, dup2((int)a[0], (int)a[1]))
        BY_NAME(SYS_dup3, dup3((int)a[0], (int)a[1], (int)a[2]))
        BY_NAME(SYS_pipe, pipe((int *)a[0]))
        BY_NAME(SYS_select, select((int)a[0], (fd_set *)a[1], (fd_set *)a[2], (fd_set *)a[3], (struct timeval *)a[4]))
        BY_NAME(SYS_ppoll, ppoll((struct pollfd *)a[0], (nfds_t)a[1], (const struct timespec *)a[2], (const sigset_t *)a[3]))
        BY_NAME(SYS_epoll_create1, epoll_create1((int)a[0]))
        BY_NAME(SYS_epoll_ctl, epoll_ctl((int)a[0], (int)a[1], (int)a[2], (struct epoll_event *)a[3]))
        BY_NAME(SYS_epoll_pwait, epoll_wait((int)a[0], (struct epoll_event *)a[1], (int)a[2], (int)a[3]))
        BY_NAME(SYS_close, close((int)a[0]))
        BY_NAME(SYS_pipe2, pipe2((int *)a[0], (int)a[1]))
        BY_NAME(SYS_eventfd2, eventfd((unsigned)a[0], (int)a[1]))
        BY_NAME(SYS_poll, poll((struct pollfd *)a[0], (nfds_t)a[1], (int)a[2]))
        BY_NAME(SYS_epoll_wait, epoll_wait((int)a[0], (struct epoll_event *)a[1], (int)a[2], (int)a[3]))
        BY_NAME(SYS_socket, socket((int)a[0], (int)a[1], (int)a[2]))
        BY_NAME(SYS_shutdown, shutdown((int)a[0], (int)a[1]))
    default:
        return false;
    }
}

static bool file_by_name(long number, const long a[6], long *answer)
{
    switch (number) {
        BY_NAME(SYS_open, open((const char *)a[0], (int)a[1], (mode_t)a[2]))
        BY_NAME(SYS_openat, openat((int)a[0], (const char *)a[1], (int)a[2], (mode_t)a[3]))
        BY_NAME(SYS_pread64, pread((int)a[0], (void *)a[1], (size_t)a[2], a[3]))
        BY_NAME(SYS_pwrite64, pwrite((int)a[0], (const void *)a[1], (size_t)a[2], a[3]))
        BY_NAME(SYS_lseek, lseek((int)a[0], a[1], (int)a[2]))
        BY_NAME(SYS_ftruncate, ftruncate((int)a[0], a[1]))
        BY_NAME(SYS_unlink, unlink((const char *)a[0]))
        BY_NAME(SYS_unlinkat, unlinkat((int)a[0], (const char *)a[1], (int)a[2]))
        BY_NAME(SYS_rename, rename((const char *)a[0], (const char *)a[1]))
        BY_NAME(SYS_mkdir, mkdir((const char *)a[0], (mode_t)a[1]))
        BY_NAME(SYS_memfd_create, memfd_create((const char *)a[0], (unsigned)a[1]))
    default:
        return false;
    }
}

static bool memory_by_name(long number, const long a[6], long *answer)
{
    switch (number) {
        BY_NAME(SYS_mmap, (long)mmap((void *)a[0], (size_t)a[1], (int)a[2], (int)a[3], (int)a[4], a[5]))
        BY_NAME(SYS_munmap, munmap((void *)a[0], (size_t)a[1]))
        BY_NAME(SYS_mprotect, mprotect((void *)a[0], (size_t)a[1], (int)a[2]))
        BY_NAME(SYS_pkey_mprotect, pkey_mprotect((void *)a[0], (size_t)a[1], (int)a[2], (int)a[3]))
        BY_NAME(SYS_madvise, madvise((void *)a[0], (size_t)a[1], (int)a[2]))
        BY_NAME(SYS_mremap, (long)mremap((void *)a[0], (size_t)a[1], (size_t)a[2], (int)a[3], (void *)a[4]))
    default:
        return false;
    }
}

/* A library between us and libc may define such a function by its number (tcmalloc: mmap). Our function then passes the call on
 * to the library, which asks for the same number once more: that is where the kernel is meant. */
static bool is_passed_on(long number)
{
    return bpor_self->by_number == number + 1;
}

static bool by_name(long number, const long a[6], long *answer, const void *site)
{
    long before = bpor_self->by_number;
    bpor_self->by_number = number + 1;
    bpor_self->acts_for_program = bpor_instrumented_code(site);
    bool known = process_by_name(number, a, answer) || descriptor_by_name(number, a, answer) || file_by_name(number, a, answer) ||
                 memory_by_name(number, a, answer);
    bpor_self->acts_for_program = false;
    bpor_self->by_number = before;
    return known;
}

/* What it reads, writes and changes is not known. Orders of memory are the compiler's business, and identities change nothing. */
static void say_unknown(long number)
{
    char said[96];
    const char *name = bpor_system_call_name(number);
    if (number == SYS_membarrier || number == SYS_getuid || number == SYS_geteuid || number == SYS_getgid ||
        number == SYS_getegid || number == SYS_rseq || number == SYS_set_robust_list)
        return;
    snprintf(said, sizeof said, "nothing shared through syscall(%s %ld)", name, number);
    bpor_untold(said);
}

static long controlled_call(long number, long a[6], const void *site)
{
    long answer;
    if (bpor_system_call_has(number, SYSTEM_CALL_WHO))
        a[0] = bpor_kernel_number((pid_t)a[0]);
    if (bpor_system_call_has(number, SYSTEM_CALL_SECOND_WHO))
        a[1] = bpor_kernel_number((pid_t)a[1]);
    if (number == SYS_futex)
        return bpor_futex(a, site);
    if (bpor_system_call_has(number, SYSTEM_CALL_ABSENT))
        return as_system_call(ENOSYS);
    bpor_refuse_system_call(number);
    if (!is_passed_on(number)) {
        if (by_name(number, a, &answer, site))
            return answer;
        say_unknown(number);
    }
    return REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

INTERCEPT long syscall(long number, ...)
{
    long a[6], answer;
    va_list rest;
    va_start(rest, number);
    for (unsigned i = 0; i < 6; i++)
        a[i] = va_arg(rest, long);
    va_end(rest);
    if (number == SYS_arch_prctl)
        bpor_filter_off(); /* gs may become the program's */
    if (bpor_copy_by_number(number, a, &answer))
        return answer;
    return bpor_controlled() ? controlled_call(number, a, CALL_SITE) : REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
