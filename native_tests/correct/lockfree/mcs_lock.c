// Mellor-Crummey and Scott's lock protects a plain counter: each waits at a place of its own, and is told by the one before.
// compiler: bpor
// bound fair:2,preemption:0..3: pass
// bound fair:2: pass
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
    struct waiter *self = me;
    if (atomic_load(&me->next) == NULL && atomic_compare_exchange_strong(&last, &self, NULL))
        return;
    while (atomic_load(&me->next) == NULL)
        continue; /* somebody has queued and is about to say so */
    atomic_store(&atomic_load(&me->next)->waits, 0);
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
