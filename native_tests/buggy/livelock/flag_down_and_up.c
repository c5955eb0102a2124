// Who meets the other's flag takes its own down and raises it again. A thread raises its flag and is left; the other raises its
// own, meets the first, gives way and comes back; from then on each meets the other's flag, for ever. One preemption; without it
// the first thread is done before the second begins. Without a yield in the loop, and each round changes something, only the state
// that comes back says that the loop waits.
// compiler: bpor
// options: --max-steps=400
// with YIELD=1, bound fair:2,preemption:0: pass
// with YIELD=1, bound fair:2,preemption:1: livelock
// with YIELD=0, bound fair:2,preemption:1: livelock
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef YIELD
#define YIELD 1
#endif

static atomic_int wants[2];
static int inside;

static void lock(int me)
{
    atomic_store(&wants[me], 1);
    while (atomic_load(&wants[1 - me])) {
        atomic_store(&wants[me], 0);
        atomic_store(&wants[me], 1);
        if (YIELD)
            sched_yield();
    }
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
