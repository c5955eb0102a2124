/* Signal dispositions: the target believes it owns the fatal signals; we pass them on (runtime/signals.c). */
#define _GNU_SOURCE
#include "runtime/real.h"
#include "runtime/runtime.h"
#include "runtime/signals.h"
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

INTERCEPT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    sigset_t copy;
    return REAL(pthread_sigmask)(how, how == SIG_UNBLOCK ? set : without_watchdog(set, &copy), old);
}

INTERCEPT int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
    sigset_t copy;
    return REAL(sigprocmask)(how, how == SIG_UNBLOCK ? set : without_watchdog(set, &copy), old);
}

INTERCEPT int pthread_kill(pthread_t handle, int number)
{
    if (!bpor_controlled() || number == 0 || pthread_equal(handle, pthread_self()))
        return REAL(pthread_kill)(handle, number);
    bpor_refuse("pthread_kill", "a signal to another thread arrives at no defined point; use a condition or a flag");
}
