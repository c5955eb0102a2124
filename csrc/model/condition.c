/* Conditions. A wait is two steps: release and enqueue, then wake and relock. Who a signal wakes: model/waiters.h.
 * A condition may be destroyed as soon as everybody who waits has been woken; they still find what woke them. */
#define _GNU_SOURCE
#include "loops/circle.h"
#include "model/rules.h"
#include "model/waiters.h"
#include "runtime/lifetimes.h"
#include "runtime/real.h"
#include <errno.h>
#include <limits.h>
#include <pthread.h>

static bool may_end_by_itself(const struct operation *op, const struct thread *thread)
{
    const struct bpor_config *config = &bpor->shared->config;
    return config->spurious || (op->timed && (config->timeouts == BPOR_TIMEOUTS_EXPLORE || op->deadline <= thread->now));
}

void condition_init_perform(struct thread *thread)
{
    struct operation *op = &thread->op;
    if (bpor_waiters_blocked(op->object)) {
        bpor_misuse("init of a condition on which a thread waits");
        return;
    }
    thread->result =
        REAL(pthread_cond_init)((pthread_cond_t *)op->object->address, (const pthread_condattr_t *)(uintptr_t)op->argument);
}

void condition_destroy_perform(struct thread *thread)
{
    if (bpor_waiters_blocked(thread->op.object))
        bpor_misuse("destroy of a condition on which a thread waits");
    else
        bpor_lifetime_destroyed(thread, sizeof(pthread_cond_t));
}

void condition_wait_perform(struct thread *thread)
{
    struct operation *op = &thread->op;
    thread->result = bpor_mutex_give(thread, op->second);
    if (thread->result != 0)
        return;
    bpor_waiters_enqueue(op->object, thread);
    if (may_end_by_itself(op, thread))
        op->flags |= BPOR_FLAG_CUT;
}

bool condition_wake_enabled(const struct thread *thread)
{
    const struct operation *op = &thread->op;
    return bpor_mutex_is_free((void *)op->second->address) &&
           (bpor_waiters_may_return(op->object, thread) || bpor->shared->config.spurious);
}

bool condition_wake_may_time_out(const struct thread *thread)
{
    return bpor_mutex_is_free((void *)thread->op.second->address);
}

void condition_wake_perform(struct thread *thread)
{
    struct operation *op = &thread->op;
    bool signalled = bpor_waiters_may_return(op->object, thread);
    if (!signalled) /* timed out, or spurious */
        bpor_circle_mark(thread, LOOK_AT_CALLS);
    if (!signalled && op->timed)
        bpor_time_is_up(thread);
    else if (!signalled)
        op->flags |= BPOR_FLAG_CUT;
    bpor_waiters_leave(op->object, thread);
    int error = bpor_mutex_take(thread, op->second);
    if (error)
        thread->result = error;
}

void condition_signal_perform(struct thread *thread)
{
    bpor_waiters_wake(thread->op.object, 1, NULL, 0);
}

void condition_broadcast_perform(struct thread *thread)
{
    bpor_waiters_wake(thread->op.object, INT_MAX, NULL, 0);
}
