/* A queue of waiting threads with wake-ups that are not yet anybody's: the tokens of signal=any.
 *
 * A wake-up leaves a token for the wait instances queued at that moment; any of them may take it and the search tries each. A
 * token is added only if there are more waiters than tokens; who leaves takes the oldest token it may take and is struck from
 * all others; a token that nobody can take any more vanishes. Tokens are nested: an older one's waiters are a subset of a
 * younger one's. signal=fifo, and everything that must name a waiter, wakes the oldest for sure instead. */
#ifndef BPOR_WAITERS_H
#define BPOR_WAITERS_H
#include "runtime/objects.h"
#include "state/digest.h"

void bpor_waiters_reserve(void);
void bpor_waiters_enqueue(struct object *queue, const struct thread *thread);
/* Was this waiter woken, or may it take a token? */
bool bpor_waiters_may_return(const struct object *queue, const struct thread *thread);
/* It returns, woken or not, and uses up what woke it. */
void bpor_waiters_leave(struct object *queue, const struct thread *thread);
/* Wakes up to `count` waiters that `matches` (NULL: all do); the number of them. */
typedef bool waiter_matches(const struct thread *waiter, uint32_t bits);
int bpor_waiters_wake(struct object *queue, int count, waiter_matches *matches, uint32_t bits);
/* Does somebody wait for whom no wake-up is left? */
bool bpor_waiters_blocked(const struct object *queue);
/* The oldest `count` waiters, woken for sure; tokens handed out before are settled first. */
int bpor_waiters_wake_oldest(struct object *queue, int count);
/* Moves up to `count` of the oldest waiters to another queue, `moved` being told of each. */
int bpor_waiters_move(struct object *from, struct object *to, int count, void (*moved)(struct thread *waiter, struct object *to));
/* Each thread that is queued and not woken for sure. */
void bpor_waiters_each(const struct object *queue, void (*visit)(const struct thread *waiter, void *data), void *data);
/* Who waits, in order, and which wake-ups are left. */
void bpor_waiters_digest(const struct object *queue, struct digest *sequence);
#endif
