/* Nobody can go on. A wait for a signal that no thread has sent, or for another process, somebody outside might end, and then
 * perhaps all of them; but not those of threads that wait for each other. */
#include "runtime/standstill.h"
#include "model/rules.h"
#include "process/shared_waits.h"
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

static bool is_in_a_ring(unsigned thread)
{
    unsigned next = thread;
    for (unsigned passed = 0; passed <= bpor->threads && next < bpor->threads; passed++)
        next = awaited_by(&bpor->thread[next]);
    return next < bpor->threads;
}

static bool there_is_a_ring(void)
{
    for (unsigned i = 0; i < bpor->threads; i++)
        if (is_in_a_ring(i))
            return true;
    return false;
}

/* A wait for a signal that the program has sent itself is one that it should have ended itself. */
static const struct thread *waits_for_a_stranger(void)
{
    for (unsigned i = 0; i < bpor->threads; i++) {
        const struct thread *thread = &bpor->thread[i];
        if (thread->state == THREAD_WAITING && thread->op.kind == OP_SIGNAL_WAIT && !(thread->let_in & bpor->signals_sent))
            return thread;
    }
    return NULL;
}

static void __attribute__((noreturn)) refuse_a_wait_for_signals(const struct thread *waiter)
{
    snprintf(bpor->shared->end.message, sizeof bpor->shared->end.message,
             "T%u waits for a signal that no thread sends, and no thread can go on: signals from outside cannot be explored; "
             "send it from a thread",
             waiter->id);
    bpor_end(BPOR_OUTCOME_REFUSED, 0, bpor->shared->end.message);
}

void bpor_standstill(void)
{
    const struct thread *waiter = waits_for_a_stranger();
    if (there_is_a_ring())
        bpor_end(BPOR_OUTCOME_DEADLOCK, 0, "");
    if (waiter)
        refuse_a_wait_for_signals(waiter);
    if (bpor_waits_for_other_process())
        bpor_refuse("a wait for another process", "locks in memory that processes share are followed in one process only");
    bpor_end(BPOR_OUTCOME_DEADLOCK, 0, "");
}
