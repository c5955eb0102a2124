/* Threads that wait for signals: sigwait and its kin take one, sigsuspend lets its handler run (model/signal_wait.c). Who sends
 * one that its receiver blocks, or finds in such a wait, is signal.c's. */
#define _GNU_SOURCE
#include "carrier/masks.h"
#include "intercept/signal.h"
#include "intercept/told.h"
#include "model/rules.h"
#include "process/family.h"
#include "process/process_state.h"
#include "reset/guard.h"
#include "runtime/real.h"
#include "runtime/sys.h"
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct operation *wait_operation(const char *call, uint64_t wanted, enum signal_wait how, const void *site)
{
    if (bpor_family_child_lives())
        bpor_refuse_beside_threads(call, "a signal from another process comes at no defined point; use a condition");
    struct operation *op = bpor_operation(OP_SIGNAL_WAIT, site);
    op->argument = how;
    bpor_self->let_in = wanted;
    bpor_touch(op, bpor_process_object(PROCESS_SIGNALS), 1, true);
    bpor_touch(op, bpor_signals_of(bpor_self), 1, true);
    bpor_piece_touch(op, STATE_SETTINGS, PENDING_SIGNALS, CHANGES); /* it takes one, as whoever looks at them can see */
    return op;
}

/* The lowest, its own before those of the process. */
static void take(uint64_t wanted, siginfo_t *info)
{
    uint64_t own = bpor_self->waiting_signals & wanted;
    const struct timespec now = {0};
    memset(info, 0, sizeof *info);
    if (own == 0) {
        sys_call4(SYS_rt_sigtimedwait, &wanted, info, &now, sizeof wanted);
        bpor_guard_note_effect(SYS_rt_sigtimedwait);
    } else {
        info->si_signo = __builtin_ctzll(own) + 1;
        info->si_code = SI_USER; /* libc says so of one for a thread, too */
        bpor_mask_take(bpor_self, info->si_signo);
    }
    info->si_pid = getpid(); /* as the program knows itself */
    info->si_uid = getuid();
}

/* The number of the signal, or of an error, negative. `limit` NULL: it waits for as long as it takes. */
static int wait_for(const char *call, const sigset_t *set, siginfo_t *info, const struct timespec *limit, const void *site)
{
    siginfo_t taken;
    bool looks = limit && limit->tv_sec == 0 && limit->tv_nsec == 0;
    bpor_told_read(set, sizeof set->__val[0], site);
    bpor_told_read(limit, sizeof *limit, site);
    if (limit && (limit->tv_sec < 0 || limit->tv_nsec < 0 || limit->tv_nsec >= NANOSECONDS))
        return -EINVAL;
    uint64_t wanted = set->__val[0];
    struct operation *op = wait_operation(call, wanted, looks ? SIGNALS_ARE_LOOKED_FOR : SIGNALS_ARE_TAKEN, site);
    op->timed = limit && !looks;
    if (op->timed)
        op->deadline = bpor_time_in(bpor_nanoseconds((uint64_t)limit->tv_sec, (uint64_t)limit->tv_nsec));
    bpor_signals_kept_out(bpor_step());
    if (bpor_mask_pending(bpor_self, wanted) == 0)
        return -EAGAIN;
    take(wanted, &taken);
    bpor_told_store(info, &taken, sizeof taken, site);
    return taken.si_signo;
}

static int with_errno(int answer)
{
    if (answer >= 0)
        return answer;
    errno = -answer;
    return -1;
}

INTERCEPT int sigwait(const sigset_t *restrict set, int *restrict number)
{
    if (!bpor_controlled())
        return REAL(sigwait)(set, number);
    int taken = wait_for("sigwait", set, NULL, NULL, CALL_SITE);
    bpor_told_store(number, &taken, sizeof taken, CALL_SITE);
    return 0;
}

INTERCEPT int sigwaitinfo(const sigset_t *restrict set, siginfo_t *restrict info)
{
    return bpor_controlled() ? with_errno(wait_for("sigwaitinfo", set, info, NULL, CALL_SITE)) : REAL(sigwaitinfo)(set, info);
}

INTERCEPT int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict info, const struct timespec *restrict limit)
{
    return bpor_controlled() ? with_errno(wait_for("sigtimedwait", set, info, limit, CALL_SITE))
                             : REAL(sigtimedwait)(set, info, limit);
}

/* Its own signals go to the kernel, which runs their handlers with the mask that the wait brings. */
INTERCEPT int sigsuspend(const sigset_t *set)
{
    if (!bpor_controlled())
        return REAL(sigsuspend)(set);
    bpor_masks_vary();
    bpor_told_read(set, sizeof set->__val[0], CALL_SITE);
    uint64_t wanted = ~set->__val[0], mask = set->__val[0] & ~bpor_mask_open();
    wait_operation("sigsuspend", wanted, SIGNALS_ARE_HANDLED, CALL_SITE);
    bpor_signals_kept_out(bpor_step());
    uint64_t own = bpor_self->waiting_signals & wanted;
    for (; own; own = bpor_self->waiting_signals & wanted) {
        int number = __builtin_ctzll(own) + 1;
        bpor_signal_meets_handler(number, CALL_SITE);
        bpor_mask_take(bpor_self, number);
        sys_call3(SYS_tgkill, sys_getpid(), sys_gettid(), number);
    }
    sys_call3(SYS_rt_sigsuspend, &mask, sizeof mask, 0);
    errno = EINTR;
    return -1;
}
