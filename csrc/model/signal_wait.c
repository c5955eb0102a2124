/* A wait for signals: enabled once one of them is pending, for the thread or for the process. Its thread takes it afterwards,
 * before any other thread runs (intercept/signal_wait.c). */
#include "carrier/masks.h"
#include "model/rules.h"
#include "runtime/real.h"

/* A signal that is ignored wakes nobody; a wait that takes it does not care how it is handled. */
static bool is_handled(int number)
{
    struct sigaction now;
    return REAL(sigaction)(number, NULL, &now) == 0 && now.sa_handler != SIG_IGN &&
           (now.sa_handler != SIG_DFL || (number != SIGCHLD && number != SIGURG && number != SIGWINCH && number != SIGCONT));
}

static bool comes(const struct thread *thread)
{
    uint64_t pending = bpor_mask_pending(thread, thread->let_in);
    if (thread->op.argument != SIGNALS_ARE_HANDLED)
        return pending;
    for (; pending; pending &= pending - 1)
        if (is_handled(__builtin_ctzll(pending) + 1))
            return true;
    return false;
}

bool signal_wait_enabled(const struct thread *thread)
{
    return thread->op.argument == SIGNALS_ARE_LOOKED_FOR || comes(thread);
}

void signal_wait_perform(struct thread *thread)
{
    struct operation *op = &thread->op;
    bool own = thread->waiting_signals & thread->let_in, any = comes(thread);
    for (unsigned i = 0; i < op->accesses; i++)
        op->access[i].write &=
            any && op->access[i].object != (own ? bpor_process_object(PROCESS_SIGNALS) : bpor_signals_of(thread));
    if (any)
        return;
    if (op->timed)
        bpor_time_out(thread);
    else
        bpor_mark_failed(thread);
}
