/* Nobody can go on: that is a deadlock, unless a signal from outside might end it. */
#include "runtime/standstill.h"
#include "model/rules.h"
#include "runtime/objects.h"
#include "runtime/runtime.h"
#include <stdio.h>

/* Whom it waits for: the holder of a lock, or a thread that it joins. */
static unsigned awaited_by(const struct thread *thread)
{
    const struct operation *op = &thread->op;
    if (thread->state != THREAD_WAITING)
        return BPOR_NO_THREAD;
    if (op->kind == OP_JOIN)
        return op->target;
    bool locks = (bpor_properties(op->kind) & (ACQUIRE | BLOCKS)) == (ACQUIRE | BLOCKS) && op->object;
    return locks ? op->object->owner : BPOR_NO_THREAD;
}

static bool waits_in_a_ring(unsigned thread)
{
    unsigned next = thread;
    for (unsigned passed = 0; passed <= bpor->threads && next < bpor->threads; passed++)
        next = awaited_by(&bpor->thread[next]);
    return next < bpor->threads;
}

/* A wait for a signal that the program has sent itself is one that it should have ended itself. */
static bool waits_for_a_stranger(const struct thread *thread)
{
    return thread->state == THREAD_WAITING && thread->op.kind == OP_SIGNAL_WAIT && !(thread->let_in & bpor->signals_sent);
}

void bpor_refuse_if_a_signal_might_come(void)
{
    const struct thread *waiter = NULL;
    for (unsigned i = 0; i < bpor->threads; i++) {
        if (waits_in_a_ring(i))
            return;
        if (waits_for_a_stranger(&bpor->thread[i]))
            waiter = &bpor->thread[i];
    }
    if (waiter == NULL)
        return;
    snprintf(bpor->shared->end.message, sizeof bpor->shared->end.message,
             "T%u waits for a signal that no thread sends, and no thread can go on: signals from outside cannot be explored; "
             "send it from a thread",
             waiter->id);
    bpor_end(BPOR_OUTCOME_REFUSED, 0, bpor->shared->end.message);
}
