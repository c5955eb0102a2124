/* Signals. Dispositions: the target believes it owns the fatal signals; we pass them on (carrier/signals.c). Masks, and signals
 * that a thread sends itself: carrier/masks.c. */
#define _GNU_SOURCE
#include "intercept/signal.h"
#include "carrier/masks.h"
#include "carrier/signals.h"
#include "intercept/numbers.h"
#include "intercept/told.h"
#include "machine/machine.h"
#include "model/rules.h"
#include "process/process_state.h"
#include "runtime/alarm.h"
#include "runtime/real.h"
#include "runtime/runtime.h"
#include "runtime/sys.h"
#include <errno.h>
#include <gnu/libc-version.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static const char TO_ANOTHER[] =
    "a signal to another thread, which does not block it, arrives at no defined point; use a condition or a flag";
static const char TO_SEVERAL[] = "its sender may take it as well as the thread that waits for it; block it in all other threads";

/* Breakpoint instructions of patched code signal before control begins, too, and in handlers. */
static bool is_ours(int number)
{
    return bpor_signal_is_ours(number) && (bpor_controlled() || (number == SIGTRAP && bpor_machine_traps()));
}

static void handler_use(int number, unsigned access, const void *site)
{
    bpor_piece_use(STATE_SETTINGS, (unsigned)number % SIGNAL_SETTINGS, access, site);
    if (number == SIGALRM && access & CHANGES && bpor_controlled())
        bpor_alarm_handled();
}

void bpor_signal_meets_handler(int number, const void *site)
{
    handler_use(number, LOOKS, site);
}

/* The limit of a test (runtime/alarm.c). */
INTERCEPT unsigned alarm(unsigned seconds)
{
    if (!bpor_controlled())
        return REAL(alarm)(seconds);
    bpor_piece_use(STATE_SETTINGS, ALARM, LOOKS | CHANGES, CALL_SITE);
    return bpor_alarm_set(seconds);
}

INTERCEPT int sigaction(int number, const struct sigaction *restrict new_action, struct sigaction *restrict old_action)
{
    bpor_masks_vary();
    handler_use(number, (old_action ? LOOKS : 0) | (new_action ? CHANGES : 0), CALL_SITE);
    bpor_told_read(new_action, sizeof *new_action, CALL_SITE);
    bpor_told_fill(old_action, sizeof *old_action, CALL_SITE);
    if (!is_ours(number)) {
        struct sigaction passed;
        if (new_action) {
            passed = *new_action;
            passed.sa_mask.__val[0] &= ~(bpor_machine_traps() ? bpor_mask_open() : 0);
        }
        return REAL(sigaction)(number, new_action ? &passed : NULL, old_action);
    }
    bpor_signal_action(number, new_action, old_action);
    return 0;
}

INTERCEPT __sighandler_t signal(int number, __sighandler_t handler)
{
    bpor_masks_vary();
    handler_use(number, LOOKS | CHANGES, CALL_SITE);
    if (!is_ours(number))
        return REAL(signal)(number, handler);
    struct sigaction action = {.sa_flags = SA_RESTART}, old;
    action.sa_handler = handler;
    bpor_signal_action(number, &action, &old);
    return old.sa_handler;
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

/* Of a set the kernel looks at the first word. */
static void tell_sets(const sigset_t *set, const sigset_t *old, const void *site)
{
    bpor_told_read(set, sizeof set->__val[0], site);
    bpor_told_fill(old, sizeof old->__val[0], site);
}

/* What it lets through meets the handler that some thread has chosen by then. */
static void mask_use(int how, const sigset_t *set, const sigset_t *old, const void *site)
{
    tell_sets(set, old, site);
    bpor_piece_use(STATE_SETTINGS, PENDING_SIGNALS, LOOKS, site);
    if (!bpor_process_state_matters())
        return;
    for (uint64_t brought = bpor_mask_brings(how, set); brought; brought &= brought - 1)
        handler_use(__builtin_ctzll(brought) + 1, LOOKS, site);
}

INTERCEPT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    mask_use(how, set, old, CALL_SITE);
    return bpor_mask_change(REAL(pthread_sigmask), how, set, old);
}

INTERCEPT int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
    mask_use(how, set, old, CALL_SITE);
    return bpor_mask_change(REAL(sigprocmask), how, set, old);
}

INTERCEPT int sigpending(sigset_t *set)
{
    tell_sets(NULL, set, CALL_SITE);
    bpor_piece_use(STATE_SETTINGS, PENDING_SIGNALS, LOOKS, CALL_SITE);
    int error = REAL(sigpending)(set);
    if (error == 0 && bpor_controlled())
        bpor_mask_add_pending(set);
    return error;
}

static bool is_signal(int number)
{
    return number > 0 && number <= SIGRTMAX;
}

/* It meets the handler that some thread has chosen by now, unless it has to wait. */
static int send_to_self(int number, const void *site)
{
    if (!bpor_mask_blocks(number))
        handler_use(number, LOOKS, site);
    bpor_mask_send(number);
    return 0;
}

INTERCEPT int raise(int number)
{
    return bpor_controlled() && is_signal(number) ? send_to_self(number, CALL_SITE) : REAL(raise)(number);
}

/* The program knows numbers of ours for itself, its group and its parent. */
static pid_t meant(pid_t process)
{
    bool own = process > 0 && bpor_kernel_number(process) == 0;
    return own ? sys_getpid() : process == -getpid() ? -sys_getpid() : process;
}

static bool is_awaited(int number)
{
    for (unsigned i = 0; i < bpor->threads; i++) {
        const struct thread *thread = &bpor->thread[i];
        if (thread->state == THREAD_WAITING && thread->let_in >> (number - 1) & 1)
            return true;
    }
    return false;
}

/* A signal that waits for somebody: who looks for it, or changes a mask, does so before or after this step. */
static void send_step(uint64_t receiver, int number, const void *site)
{
    struct operation *op = bpor_operation(OP_SIGNAL_SEND, site);
    bpor_touch(op, receiver, 1, true);
    bpor_piece_touch(op, STATE_SETTINGS, PENDING_SIGNALS, CHANGES);
    bpor_step();
    bpor->signals_sent |= 1ull << (number - 1);
}

/* To the process, from one who blocks it: it waits until somebody takes it or opens a mask. */
static void send_to_process(const char *call, int number, const void *site)
{
    send_step(bpor_process_object(PROCESS_SIGNALS), number, site);
    if (bpor_mask_opens_elsewhere(number))
        bpor_refuse(call, TO_ANOTHER);
}

/* To the process: whoever does not block it may take it, so the sender, who runs, does if he can. If he cannot, it interrupts
 * another thread anywhere, or waits until one opens its mask. */
INTERCEPT int kill(pid_t process, int number)
{
    if (!bpor_controlled())
        return REAL(kill)(process, number);
    if (process == getppid() && is_signal(number))
        bpor_refuse("kill", "a signal to the parent of the program would end or stop the tool; leave it out under test");
    if (process == getpid() && is_signal(number) && !bpor_mask_blocks(number)) {
        if (is_awaited(number))
            bpor_refuse("kill", TO_SEVERAL);
        return send_to_self(number, CALL_SITE);
    }
    if (process == getpid() && is_signal(number))
        send_to_process("kill", number, CALL_SITE);
    return REAL(kill)(meant(process), number);
}

INTERCEPT int sigqueue(pid_t process, int number, const union sigval value)
{
    bool own = bpor_controlled() && process == getpid() && is_signal(number);
    if (own && !bpor_mask_blocks(number))
        bpor_refuse("sigqueue", "a value that comes with a signal to the process itself cannot be followed; use raise");
    if (own)
        send_to_process("sigqueue", number, CALL_SITE);
    return REAL(sigqueue)(own ? sys_getpid() : process, number, value);
}

INTERCEPT int killpg(pid_t group, int number)
{
    if (!bpor_controlled() || group < 0)
        return REAL(killpg)(group, number);
    return kill(-group, number);
}

/* Numbers of threads are ours, as those of processes: libc and the kernel would not know them. */
INTERCEPT int tgkill(pid_t process, pid_t thread, int number)
{
    if (!bpor_controlled() || process != getpid())
        return REAL(tgkill)(process, thread, number);
    if (number != 0 && !is_signal(number)) {
        errno = EINVAL;
        return -1;
    }
    if (thread != gettid())
        bpor_refuse("tgkill", TO_ANOTHER);
    return number == 0 ? 0 : send_to_self(number, CALL_SITE);
}

void bpor_signals_let_in(const sigset_t *mask, const char *call)
{
    if (mask == NULL)
        return;
    bpor_self->let_in = ~mask->__val[0];
    bpor_piece_use(STATE_SETTINGS, PENDING_SIGNALS, LOOKS, CALL_SITE);
    if (bpor_mask_pending(bpor_self, bpor_self->let_in))
        bpor_refuse(call, "a signal that its mask lets in ends it; wait for the signal by sigwait");
}

/* It waits for the other thread, which blocks it or is in a wait that takes it. */
static int send_to_another(struct thread *target, int number, const void *site)
{
    send_step(bpor_signals_of(target), number, site);
    if (target->state == THREAD_FINISHED)
        return 0;
    if (!bpor_mask_blocks_in(target, number))
        bpor_refuse("pthread_kill", TO_ANOTHER);
    bpor_mask_hold_back(target, number);
    return 0;
}

/* Signal 0 asks whether there is such a thread. There is one until it is joined: whether it still runs shows in no answer of
 * libc 2.34 or newer. */
static struct thread *asked_for(pthread_t handle)
{
    struct thread *target = bpor_thread_of(handle);
    bpor_kin_named(target);
    if (target == NULL || target->joined)
        bpor_misuse("pthread_kill of something that is not a thread, or not any more");
    if (strverscmp(gnu_get_libc_version(), "2.34") < 0)
        bpor_refuse("pthread_kill", "whether a thread still runs is no answer to rely on; use a flag");
    return target;
}

INTERCEPT int pthread_kill(pthread_t handle, int number)
{
    if (!bpor_controlled())
        return REAL(pthread_kill)(handle, number);
    if (number != 0 && !is_signal(number))
        return EINVAL;
    if (number != 0 && pthread_equal(handle, pthread_self()))
        return send_to_self(number, CALL_SITE);
    struct thread *target = asked_for(handle);
    return number == 0 ? 0 : send_to_another(target, number, CALL_SITE);
}
