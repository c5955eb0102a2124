// Mutual exclusion by loads and stores alone: Peterson's, Dekker's and Lamport's bakery (two threads each).
// compiler: bpor
// with LOCK=0, bound fair:2,preemption:2: pass
// with LOCK=1, bound fair:2,preemption:2: pass
// with LOCK=2, bound fair:2,preemption:2: pass
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef LOCK
#define LOCK 0
#endif

static atomic_int wants[2], turn, choosing[2], number[2];
static int inside; /* plain: the detector tells if the lock does not order its users */

static void peterson(int me)
{
    atomic_store(&wants[me], 1);
    atomic_store(&turn, 1 - me);
    while (atomic_load(&wants[1 - me]) && atomic_load(&turn) == 1 - me)
        continue;
}

static void dekker(int me)
{
    atomic_store(&wants[me], 1);
    while (atomic_load(&wants[1 - me])) {
        if (atomic_load(&turn) == me)
            continue;
        atomic_store(&wants[me], 0);
        while (atomic_load(&turn) != me)
            continue;
        atomic_store(&wants[me], 1);
    }
}

static void bakery(int me)
{
    atomic_store(&choosing[me], 1);
    atomic_store(&number[me], atomic_load(&number[1 - me]) + 1);
    atomic_store(&choosing[me], 0);
    while (atomic_load(&choosing[1 - me]))
        continue;
    for (;;) {
        int mine = atomic_load(&number[me]), other = atomic_load(&number[1 - me]);
        if (other == 0 || mine < other || (mine == other && me == 0))
            return;
    }
}

static void lock(int me)
{
    LOCK == 0 ? peterson(me) : LOCK == 1 ? dekker(me) : bakery(me);
}

static void unlock(int me)
{
    atomic_store(&turn, 1 - me);
    atomic_store(&wants[me], 0);
    atomic_store(&number[me], 0);
}

static void *work(void *argument)
{
    int me = (int)(intptr_t)argument;
    lock(me);
    inside++;
    unlock(me);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, (void *)(intptr_t)i);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return inside != 2;
}
