/* Signal dispositions: the target believes it owns the fatal signals; we pass them on (runtime/signals.c). */
#define _GNU_SOURCE
#include "runtime/real.h"
#include "runtime/runtime.h"
#include "runtime/signals.h"
#include "runtime/sys.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>

INTERCEPT int sigaction(int number, const struct sigaction *restrict new_action, struct sigaction *restrict old_action)
{
    if (!bpor_controlled() || !bpor_signal_is_ours(number))
        return REAL(sigaction)(number, new_action, old_action);
    bpor_signal_action(number, new_action, old_action);
    return 0;
}

INTERCEPT __sighandler_t signal(int number, __sighandler_t handler)
{
    if (!bpor_controlled() || !bpor_signal_is_ours(number))
        return REAL(signal)(number, handler);
    struct sigaction action = {.sa_flags = SA_RESTART}, old;
    action.sa_handler = handler;
    bpor_signal_action(number, &action, &old);
    return old.sa_handler;
}

/* The watchdog must always get through. */
static const sigset_t *without_watchdog(const sigset_t *set, sigset_t *copy)
{
    if (set == NULL || bpor_self == NULL)
        return set;
    *copy = *set;
    sigdelset(copy, WATCHDOG_SIGNAL);
    return copy;
}

INTERCEPT int sigaltstack(const stack_t *restrict chosen, stack_t *restrict old)
{
    if (!bpor_controlled())
        return REAL(sigaltstack)(chosen, old);
    int error = bpor_signals_choose_stack(chosen, old);
    if (error == 0)
        return 0;
    errno = error;
    return -1;
}

/* Fibers share the kernel's mask: each remembers its own (runtime/carrier_fibers.c). */
static void remember_mask(void)
{
    if (bpor_self)
        sys_call4(SYS_rt_sigprocmask, SIG_BLOCK, 0, &bpor_self->signal_mask, sizeof bpor_self->signal_mask);
}

INTERCEPT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    sigset_t copy;
    int result = REAL(pthread_sigmask)(how, how == SIG_UNBLOCK ? set : without_watchdog(set, &copy), old);
    remember_mask();
    return result;
}

INTERCEPT int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
    sigset_t copy;
    int result = REAL(sigprocmask)(how, how == SIG_UNBLOCK ? set : without_watchdog(set, &copy), old);
    remember_mask();
    return result;
}

INTERCEPT int pthread_kill(pthread_t handle, int number)
{
    if (!bpor_controlled() || number == 0 || pthread_equal(handle, pthread_self()))
        return REAL(pthread_kill)(handle, number);
    bpor_refuse("pthread_kill", "a signal to another thread arrives at no defined point; use a condition or a flag");
}
