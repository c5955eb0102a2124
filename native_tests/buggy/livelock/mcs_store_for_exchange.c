// Mellor-Crummey and Scott's lock that is released by a store where a compare-exchange belongs. The holder sees nobody behind it
// and is left; the other queues behind it and waits; the holder empties the queue and goes, and nobody ever tells the waiter. One
// preemption, between the holder's look and its store; without it nobody queues while the lock is held.
// compiler: bpor
// options: --max-steps=400
// says: goes round mcs_store_for_exchange.c:28 for ever
// bound fair:2,preemption:0: pass
// bound fair:2,preemption:1..3: livelock
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct waiter {
    _Atomic(struct waiter *) next;
    atomic_int waits;
};
static struct waiter waiter[2];
static _Atomic(struct waiter *) last;
static int counter;

static void lock(struct waiter *me)
{
    atomic_store(&me->waits, 1);
    struct waiter *before = atomic_exchange(&last, me);
    if (before == NULL)
        return;
    atomic_store(&before->next, me);
    while (atomic_load(&me->waits))
        continue;
}

static void unlock(struct waiter *me)
{
    struct waiter *next = atomic_load(&me->next);
    if (next == NULL)
        atomic_store(&last, NULL);
    else
        atomic_store(&next->waits, 0);
}

static void *work(void *me)
{
    lock(me);
    counter++;
    unlock(me);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, &waiter[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return counter != 2;
}
