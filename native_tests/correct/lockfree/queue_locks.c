// Two fair spin locks: ticket lock and MCS lock, each protecting a plain counter.
// compiler: bpor
// with LOCK=0, bound fair:2,preemption:2: pass
// with LOCK=1, bound fair:2,preemption:2: pass
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef LOCK
#define LOCK 0
#endif

struct waiter {
    _Atomic(struct waiter *) next;
    atomic_int waits;
};
static atomic_int ticket, serving;
static _Atomic(struct waiter *) last;
static int counter;

static void lock(struct waiter *me)
{
    if (LOCK == 0) {
        int mine = atomic_fetch_add(&ticket, 1);
        while (atomic_load(&serving) != mine)
            continue;
        return;
    }
    atomic_store(&me->next, NULL);
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
    if (LOCK == 0) {
        atomic_store(&serving, atomic_load(&serving) + 1);
        return;
    }
    struct waiter *self = me;
    if (atomic_load(&me->next) == NULL && atomic_compare_exchange_strong(&last, &self, NULL))
        return;
    while (atomic_load(&me->next) == NULL)
        continue; /* somebody has queued and is about to say so */
    atomic_store(&atomic_load(&me->next)->waits, 0);
}

static void *work(void *unused)
{
    struct waiter me;
    lock(&me);
    counter++;
    unlock(&me);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return counter != 2;
}
