// Dekker's lock: who meets the other's flag takes its own down unless it is its turn, and raises it again when its turn has come.
// compiler: bpor
// bound fair:2,preemption:0..3: pass
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int wants[2], turn;
static int inside; /* plain: the detector tells if the lock does not order its users */

static void lock(int me)
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

static void unlock(int me)
{
    atomic_store(&turn, 1 - me);
    atomic_store(&wants[me], 0);
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
