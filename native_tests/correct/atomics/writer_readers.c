// One writer and N readers of one atomic: each reader comes before or after, so there are 2^N orders at every bound.
// compiler: bpor
// with READERS=2, bound preemption:0..3: pass, traces 4
// with READERS=2, bound none: pass, traces 4
// with READERS=4, bound preemption:0..3: pass, traces 16
// with READERS=4, bound none: pass, traces 16
// with READERS=6, bound none: pass, traces 64
// with READERS=8, bound preemption:0: pass, traces 256, slow
#include <pthread.h>
#include <stdatomic.h>

#ifndef READERS
#define READERS 2
#endif

static atomic_int value;

static void *write_it(void *unused)
{
    atomic_store(&value, 1);
    return unused;
}

static void *read_it(void *unused)
{
    (void)atomic_load(&value);
    return unused;
}

int main(void)
{
    pthread_t thread[READERS + 1];
    for (int i = 0; i <= READERS; i++)
        pthread_create(&thread[i], NULL, i == 0 ? write_it : read_it, NULL);
    for (int i = 0; i <= READERS; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
