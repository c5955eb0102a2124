// Peterson's lock, by loads and stores alone: raise the flag, let the other go first, wait while both hold.
// compiler: bpor
// bound fair:2,preemption:0..3: pass
// bound fair:2: pass
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int wants[2], turn;
static int inside; /* plain: the detector tells if the lock does not order its users */

static void lock(int me)
{
    atomic_store(&wants[me], 1);
    atomic_store(&turn, 1 - me);
    while (atomic_load(&wants[1 - me]) && atomic_load(&turn) == 1 - me)
        continue;
}

static void unlock(int me)
{
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
