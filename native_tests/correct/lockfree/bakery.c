// Lamport's bakery for two: draw a number above the other's, wait for the other to have drawn, then for the smaller number to be
// served.
// compiler: bpor
// bound fair:2,preemption:0..3: pass
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int choosing[2], number[2];
static int inside; /* plain: the detector tells if the lock does not order its users */

static void lock(int me)
{
    atomic_store(&choosing[me], 1);
    int mine = atomic_load(&number[1 - me]) + 1;
    atomic_store(&number[me], mine);
    atomic_store(&choosing[me], 0);
    while (atomic_load(&choosing[1 - me]))
        continue;
    for (;;) {
        int other = atomic_load(&number[1 - me]);
        if (other == 0 || mine < other || (mine == other && me == 0))
            return;
    }
}

static void unlock(int me)
{
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
