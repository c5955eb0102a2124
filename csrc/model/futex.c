/* Futexes. A wait is two steps: compare and enqueue, then return, enabled iff it was woken. The word is memory (a read), the
 * queue of its waiters another object. A wait that finds another value has only read the word.
 *
 * A waiter that was requeued is known to the search by the queue it came from: its footprint was announced there. So whoever
 * wakes in a queue that holds such waiters also writes the queues they came from. */
#include "model/futex.h"
#include "loops/circle.h"
#include "model/rules.h"
#include "model/waiters.h"
#include "weak/weak.h"
#include <errno.h>
#include <linux/futex.h>

static struct futex_call *call_of(const struct thread *thread)
{
    return (struct futex_call *)(uintptr_t)thread->op.argument;
}

static bool matches(const struct thread *waiter, uint32_t bits)
{
    return call_of(waiter)->bits & bits;
}

static void touch_once(struct operation *op, struct object *object)
{
    for (unsigned i = 0; i < op->accesses; i++)
        if (op->access[i].object == object->id)
            return;
    bpor_touch(op, object->id, 1, true);
}

static void touch_origin(const struct thread *waiter, void *operation)
{
    touch_once(operation, call_of(waiter)->origin);
}

static bool may_end_by_itself(const struct thread *thread)
{
    const struct bpor_config *config = &bpor->shared->config;
    const struct operation *op = &thread->op;
    return config->spurious || (op->timed && (config->timeouts == BPOR_TIMEOUTS_EXPLORE || op->deadline <= thread->now));
}

/* The word holds another value: whoever changed it did so out of sight, by an inline atomic, and its time is not known. So this
 * wait is as late as anybody: never earlier than the change that it saw. */
static void be_as_late_as_anybody(struct thread *thread)
{
    for (unsigned i = 0; i < bpor->threads; i++)
        if (thread->now < bpor->thread[i].now)
            thread->now = bpor->thread[i].now;
}

void futex_wait_perform(struct thread *thread)
{
    struct operation *op = &thread->op;
    struct futex_call *call = call_of(thread);
    op->value = *call->word;
    bpor_weak_catch_up(thread, call->word, sizeof *call->word);
    if (*call->word == call->expected) {
        bpor_waiters_enqueue(call->queue, thread);
        if (may_end_by_itself(thread))
            op->flags |= BPOR_FLAG_CUT;
        return;
    }
    op->object = NULL; /* the queue is not touched */
    op->access[0] = op->access[1];
    op->accesses = 1;
    be_as_late_as_anybody(thread);
    bpor_mark_failed(thread);
    thread->result = EAGAIN;
}

bool futex_return_enabled(const struct thread *thread)
{
    return bpor_waiters_may_return(call_of(thread)->queue, thread) || bpor->shared->config.spurious;
}

void futex_return_perform(struct thread *thread)
{
    struct operation *op = &thread->op;
    struct futex_call *call = call_of(thread);
    if (!bpor_waiters_may_return(call->queue, thread)) {
        bpor_circle_mark(thread, LOOK_AT_CALLS);
        op->flags |= BPOR_FLAG_CUT;
        if (op->timed)
            bpor_time_is_up(thread);
    }
    touch_once(op, call->queue);
    bpor_waiters_leave(call->queue, thread);
}

/* The kernel wakes one even if asked for none. */
static int at_least_one(int count)
{
    return count > 0 ? count : 1;
}

void futex_wake_perform(struct thread *thread)
{
    struct operation *op = &thread->op;
    struct futex_call *call = call_of(thread);
    bpor_waiters_each(call->queue, touch_origin, op);
    call->answer = bpor_waiters_wake(call->queue, at_least_one(call->wake), matches, call->bits);
    op->value = (uint64_t)call->answer;
}

static void moved(struct thread *waiter, struct object *to)
{
    call_of(waiter)->queue = to;
}

void futex_requeue_perform(struct thread *thread)
{
    struct operation *op = &thread->op;
    struct futex_call *call = call_of(thread);
    if (call->compares)
        bpor_weak_catch_up(thread, call->word, sizeof *call->word);
    if (call->compares && *call->word != call->expected) {
        op->object = op->second = NULL;
        op->access[0] = op->access[2];
        op->accesses = 1;
        be_as_late_as_anybody(thread);
        bpor_mark_failed(thread);
        thread->result = EAGAIN;
        return;
    }
    bpor_waiters_each(call->queue, touch_origin, op);
    call->answer = bpor_waiters_wake_oldest(call->queue, call->wake);
    call->answer += bpor_waiters_move(call->queue, call->second_queue, call->second, moved);
    op->value = (uint64_t)call->answer;
}

static int sign_extended(uint32_t encoded, unsigned shift)
{
    return (int)(encoded << (20 - shift)) >> 20;
}

static uint32_t changed(uint32_t old, uint32_t encoded)
{
    int argument = sign_extended(encoded, 12);
    unsigned operation = encoded >> 28;
    uint32_t operand = operation & FUTEX_OP_OPARG_SHIFT ? 1u << (argument & 31) : (uint32_t)argument;
    switch (operation & 7) {
    case FUTEX_OP_SET:
        return operand;
    case FUTEX_OP_ADD:
        return old + operand;
    case FUTEX_OP_OR:
        return old | operand;
    case FUTEX_OP_ANDN:
        return old & ~operand;
    default:
        return old ^ operand;
    }
}

static bool satisfied(int old, uint32_t encoded)
{
    int argument = sign_extended(encoded, 0);
    switch (encoded >> 24 & 15) {
    case FUTEX_OP_CMP_EQ:
        return old == argument;
    case FUTEX_OP_CMP_NE:
        return old != argument;
    case FUTEX_OP_CMP_LT:
        return old < argument;
    case FUTEX_OP_CMP_LE:
        return old <= argument;
    case FUTEX_OP_CMP_GT:
        return old > argument;
    default:
        return old >= argument;
    }
}

void futex_wake_op_perform(struct thread *thread)
{
    struct operation *op = &thread->op;
    struct futex_call *call = call_of(thread);
    uint32_t old = *call->second_word;
    *call->second_word = changed(old, call->encoded);
    bpor_waiters_each(call->queue, touch_origin, op);
    bpor_waiters_each(call->second_queue, touch_origin, op);
    call->answer = bpor_waiters_wake(call->queue, at_least_one(call->wake), NULL, 0);
    if (satisfied((int)old, call->encoded))
        call->answer += bpor_waiters_wake(call->second_queue, at_least_one(call->second), NULL, 0);
    op->value = (uint64_t)call->answer;
}
