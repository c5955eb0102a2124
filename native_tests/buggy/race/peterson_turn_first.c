// Peterson's lock with its two stores in the wrong order. Thread 0 gives the turn away and stops there; thread 1 gives it back,
// raises its flag, finds the other flag down and enters; thread 0 raises its flag, finds that the turn is its own and enters too.
// Both switches leave a thread that could go on, so that is two preemptions. With one, the other thread runs to its end, and the
// sleeper reads the flag it took down; or the other thread spins, and then the sleeper had raised its flag: it is let through
// first.
// compiler: bpor
// bound fair:2,preemption:0..1: pass
// bound fair:2,preemption:2..3: race
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int wants[2], turn;
static int inside;

static void lock(int me)
{
    atomic_store(&turn, 1 - me);
    atomic_store(&wants[me], 1);
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
