/* Queues of waiters (waiters.h). A queue nobody waits in has no state, so memory that is used for many short-lived words costs
 * nothing. */
#include "model/waiters.h"
#include "runtime/reserve.h"
#include <string.h>

struct waiters {
    thread_set woken; /* for sure */
    uint16_t waiting; /* of `order` */
    uint16_t tokens;
    uint16_t sure; /* of `woken` */
    uint16_t order[BPOR_MAX_THREADS];
    thread_set token[BPOR_MAX_THREADS];
    struct waiters *next_free;
};

/* A thread waits in one queue at a time: there are never more queues in use than threads. */
static struct pool {
    struct waiters *unused;
    unsigned used; /* so far */
    struct waiters queue[BPOR_MAX_THREADS];
} * pool;

void bpor_waiters_reserve(void)
{
    pool = bpor_reserve(sizeof *pool);
}

static struct waiters *state_of(struct object *queue)
{
    if (queue->waiters == NULL && pool->unused) {
        queue->waiters = pool->unused;
        pool->unused = queue->waiters->next_free;
        queue->waiters->next_free = NULL;
    } else if (queue->waiters == NULL) {
        queue->waiters = &pool->queue[pool->used++];
    }
    return queue->waiters;
}

static void release_if_empty(struct object *queue)
{
    struct waiters *state = queue->waiters;
    if (state->waiting > 0 || state->sure > 0)
        return;
    state->next_free = pool->unused;
    pool->unused = state;
    queue->waiters = NULL;
}

static int oldest_token(const struct waiters *state, unsigned thread)
{
    for (unsigned i = 0; i < state->tokens; i++)
        if (set_has(&state->token[i], thread))
            return (int)i;
    return -1;
}

static void remove_token(struct waiters *state, unsigned index)
{
    state->tokens--;
    memmove(&state->token[index], &state->token[index + 1], (state->tokens - index) * sizeof state->token[0]);
}

static void strike(struct waiters *state, unsigned thread)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < state->waiting; i++)
        if (state->order[i] != thread)
            state->order[kept++] = state->order[i];
    state->waiting = (uint16_t)kept;
    for (unsigned i = state->tokens; i-- > 0;) {
        set_remove(&state->token[i], thread);
        if (set_empty(&state->token[i]))
            remove_token(state, i);
    }
}

static void wake_for_sure(struct waiters *state, unsigned thread)
{
    strike(state, thread);
    set_add(&state->woken, thread);
    state->sure++;
}

void bpor_waiters_enqueue(struct object *queue, const struct thread *thread)
{
    struct waiters *state = state_of(queue);
    state->order[state->waiting++] = thread->id;
}

bool bpor_waiters_may_return(const struct object *queue, const struct thread *thread)
{
    const struct waiters *state = queue->waiters;
    return set_has(&state->woken, thread->id) || oldest_token(state, thread->id) >= 0;
}

bool bpor_waiters_blocked(const struct object *queue)
{
    return queue->waiters != NULL && queue->waiters->waiting > queue->waiters->tokens;
}

void bpor_waiters_leave(struct object *queue, const struct thread *thread)
{
    struct waiters *state = queue->waiters;
    if (set_has(&state->woken, thread->id)) {
        set_remove(&state->woken, thread->id);
        state->sure--;
    } else {
        int token = oldest_token(state, thread->id);
        if (token >= 0)
            remove_token(state, (unsigned)token);
        strike(state, thread->id);
    }
    release_if_empty(queue);
}

static bool promised(const struct waiters *state, unsigned thread)
{
    thread_set alone = {{0}};
    set_add(&alone, thread);
    for (unsigned i = 0; i < state->tokens; i++)
        if (memcmp(&state->token[i], &alone, sizeof alone) == 0)
            return true;
    return false;
}

/* Some do not match: the oldest that does, unless an earlier token can only be its. */
static int wake_matching(struct waiters *state, int count, waiter_matches *matches, uint32_t bits)
{
    int woken = 0;
    for (unsigned i = 0; i < state->waiting && woken < count;) {
        unsigned thread = state->order[i];
        if (matches(&bpor->thread[thread], bits) && !promised(state, thread)) {
            wake_for_sure(state, thread);
            woken++;
        } else {
            i++;
        }
    }
    return woken;
}

static bool all_match(const struct waiters *state, waiter_matches *matches, uint32_t bits)
{
    for (unsigned i = 0; matches && i < state->waiting; i++)
        if (!matches(&bpor->thread[state->order[i]], bits))
            return false;
    return true;
}

static void add_tokens(struct waiters *state, int count)
{
    thread_set waiting = {{0}};
    for (unsigned i = 0; i < state->waiting; i++)
        set_add(&waiting, state->order[i]);
    while (count-- > 0)
        state->token[state->tokens++] = waiting;
}

int bpor_waiters_wake(struct object *queue, int count, waiter_matches *matches, uint32_t bits)
{
    struct waiters *state = queue->waiters;
    if (state == NULL || count <= 0)
        return 0;
    if (!all_match(state, matches, bits))
        return wake_matching(state, count, matches, bits);
    int free_waiters = state->waiting - state->tokens;
    if (count >= free_waiters) {
        while (state->waiting > 0)
            wake_for_sure(state, state->order[0]);
        return free_waiters;
    }
    if (bpor->shared->config.signal_choice == BPOR_SIGNAL_FIFO)
        return bpor_waiters_wake_oldest(queue, count);
    add_tokens(state, count);
    return count;
}

static void settle_tokens(struct waiters *state)
{
    while (state->tokens > 0)
        for (unsigned i = 0; i < state->waiting; i++)
            if (set_has(&state->token[0], state->order[i])) {
                unsigned thread = state->order[i];
                remove_token(state, 0);
                wake_for_sure(state, thread);
                break;
            }
}

int bpor_waiters_wake_oldest(struct object *queue, int count)
{
    struct waiters *state = queue->waiters;
    int woken = 0;
    if (state == NULL)
        return 0;
    settle_tokens(state);
    for (; woken < count && state->waiting > 0; woken++)
        wake_for_sure(state, state->order[0]);
    return woken;
}

int bpor_waiters_move(struct object *from, struct object *to, int count, void (*moved)(struct thread *, struct object *))
{
    int number = 0;
    if (from == to)
        return from->waiters == NULL ? 0 : (from->waiters->waiting < count ? from->waiters->waiting : count);
    for (; from->waiters != NULL && number < count && from->waiters->waiting > 0; number++) {
        struct thread *waiter = &bpor->thread[from->waiters->order[0]];
        strike(from->waiters, waiter->id);
        release_if_empty(from);
        bpor_waiters_enqueue(to, waiter);
        moved(waiter, to);
    }
    return number;
}

void bpor_waiters_each(const struct object *queue, void (*visit)(const struct thread *, void *), void *data)
{
    for (unsigned i = 0; queue->waiters && i < queue->waiters->waiting; i++)
        visit(&bpor->thread[queue->waiters->order[i]], data);
}

static void digest_set(struct digest *sequence, const thread_set *set)
{
    for (unsigned i = 0; i < set_words(); i++)
        digest_next(sequence, set->word[i]);
}

void bpor_waiters_digest(const struct object *queue, struct digest *sequence)
{
    const struct waiters *state = queue->waiters;
    if (state == NULL)
        return;
    digest_next(sequence, (uint64_t)state->waiting << 16 | state->tokens);
    digest_set(sequence, &state->woken);
    for (unsigned i = 0; i < state->waiting; i++)
        digest_next(sequence, state->order[i]);
    for (unsigned i = 0; i < state->tokens; i++)
        digest_set(sequence, &state->token[i]);
}
