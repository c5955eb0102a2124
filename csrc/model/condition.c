/* Conditions. A wait is two steps: release and enqueue, then wake and relock.
 *
 * signal=any: a signal leaves a token for the wait instances queued at that moment; any of them may take it, as POSIX says, and
 * the search tries each. A signal adds a token only if there are more waiters than tokens; a wake takes the oldest token it may
 * take; a waiter that leaves is struck from all tokens, and empty tokens vanish. signal=fifo: the oldest waiter is woken. Both
 * rules are functions of executed steps, never of what others are pending on. */
#define _GNU_SOURCE
#include "model/rules.h"
#include "runtime/real.h"
#include "runtime/reserve.h"
#include <errno.h>
#include <pthread.h>
#include <string.h>

struct condition {
    thread_set waiting; /* enqueued, not signalled for sure */
    thread_set woken;   /* signalled for sure: broadcast, or fifo */
    uint16_t waiters;   /* of `waiting` */
    uint16_t tokens;
    uint16_t order[BPOR_MAX_THREADS]; /* of `waiting`, oldest first */
    thread_set token[BPOR_MAX_THREADS];
};

enum { MAX_CONDITIONS = 4096 };
static struct condition *pool;
static uint32_t used;

void bpor_conditions_reserve(void)
{
    pool = bpor_reserve(sizeof(struct condition) * MAX_CONDITIONS);
}

static struct condition *state_of(struct object *object)
{
    if (object->condition == NULL) {
        if (used == MAX_CONDITIONS)
            bpor_end(BPOR_OUTCOME_REFUSED, 0, "more than 4096 condition variables in one execution");
        object->condition = &pool[used++];
    }
    return object->condition;
}

static void set_remove(thread_set *set, unsigned thread)
{
    set->word[thread / 64] &= ~(1ull << (thread % 64));
}

static int oldest_token(const struct condition *condition, unsigned thread)
{
    for (unsigned i = 0; i < condition->tokens; i++)
        if (set_has(&condition->token[i], thread))
            return (int)i;
    return -1;
}

static bool signalled(struct object *object, unsigned thread)
{
    struct condition *condition = state_of(object);
    return set_has(&condition->woken, thread) || oldest_token(condition, thread) >= 0;
}

static void remove_token(struct condition *condition, unsigned index)
{
    condition->tokens--;
    memmove(&condition->token[index], &condition->token[index + 1], (condition->tokens - index) * sizeof condition->token[0]);
}

static void leave_queue(struct condition *condition, unsigned thread)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < condition->waiters; i++)
        if (condition->order[i] != thread)
            condition->order[kept++] = condition->order[i];
    condition->waiters = (uint16_t)kept;
    set_remove(&condition->waiting, thread);
    set_remove(&condition->woken, thread);
    for (unsigned i = condition->tokens; i-- > 0;) {
        set_remove(&condition->token[i], thread);
        if (set_empty(&condition->token[i]))
            remove_token(condition, i);
    }
}

static bool may_end_by_itself(const struct operation *op, const struct thread *thread)
{
    const struct bpor_config *config = &bpor->shared->config;
    return config->spurious || (op->timed && (config->timeouts == BPOR_TIMEOUTS_EXPLORE || op->deadline <= thread->now));
}

void condition_init_perform(struct thread *thread)
{
    struct operation *op = &thread->op;
    op->object->condition = NULL;
    thread->result =
        REAL(pthread_cond_init)((pthread_cond_t *)op->object->address, (const pthread_condattr_t *)(uintptr_t)op->argument);
}

void condition_destroy_perform(struct thread *thread)
{
    struct object *object = thread->op.object;
    if (object->condition && object->condition->waiters > object->condition->tokens)
        bpor_misuse("destroy of a condition on which a thread waits");
    object->condition = NULL;
}

void condition_wait_perform(struct thread *thread)
{
    struct operation *op = &thread->op;
    struct condition *condition = state_of(op->object);
    thread->result = bpor_mutex_give(thread, op->second);
    if (thread->result != 0)
        return;
    set_add(&condition->waiting, thread->id);
    condition->order[condition->waiters++] = thread->id;
    if (may_end_by_itself(op, thread))
        op->flags |= BPOR_FLAG_CUT;
}

bool condition_wake_enabled(const struct thread *thread)
{
    const struct operation *op = &thread->op;
    return bpor_mutex_is_free((void *)op->second->address) &&
           (signalled(op->object, thread->id) || bpor->shared->config.spurious);
}

bool condition_wake_may_time_out(const struct thread *thread)
{
    return bpor_mutex_is_free((void *)thread->op.second->address);
}

void condition_wake_perform(struct thread *thread)
{
    struct operation *op = &thread->op;
    struct condition *condition = state_of(op->object);
    if (signalled(op->object, thread->id)) {
        int token = set_has(&condition->woken, thread->id) ? -1 : oldest_token(condition, thread->id);
        if (token >= 0)
            remove_token(condition, (unsigned)token);
    } else if (op->timed) {
        op->flags |= BPOR_FLAG_TIMEOUT | BPOR_FLAG_YIELD;
        if (thread->now < op->deadline)
            thread->now = op->deadline;
        thread->result = ETIMEDOUT;
    } else {
        op->flags |= BPOR_FLAG_YIELD; /* spurious */
    }
    leave_queue(condition, thread->id);
    int error = bpor_mutex_take(thread, op->second);
    if (error)
        thread->result = error;
}

static void wake_for_sure(struct condition *condition, unsigned thread)
{
    leave_queue(condition, thread);
    set_add(&condition->woken, thread);
}

void condition_signal_perform(struct thread *thread)
{
    struct condition *condition = state_of(thread->op.object);
    if (condition->waiters <= condition->tokens)
        return;
    if (bpor->shared->config.signal_choice == BPOR_SIGNAL_FIFO)
        wake_for_sure(condition, condition->order[0]);
    else
        condition->token[condition->tokens++] = condition->waiting;
}

void condition_broadcast_perform(struct thread *thread)
{
    struct condition *condition = state_of(thread->op.object);
    while (condition->waiters > 0)
        wake_for_sure(condition, condition->order[0]);
    condition->tokens = 0;
}
