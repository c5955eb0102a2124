// Every thread loads and stores one atomic twice: the number of orders is known from other tools.
// compiler: bpor
// bound preemption:0: pass, traces 2
// bound preemption:1: pass, traces 8
// bound preemption:2: pass, traces 22
// bound preemption:3: pass, traces 32
// bound none: pass, traces 34
// with THREADS=3, bound preemption:0: pass, traces 6
// with THREADS=3, bound preemption:1: pass, traces 60
// with THREADS=3, bound preemption:2: pass, traces 360, slow
// with THREADS=3, bound preemption:3: pass, traces 1380, slow
// with THREADS=3, bound none: pass, traces 7134, slow
#include <pthread.h>
#include <stdatomic.h>

#ifndef THREADS
#define THREADS 2
#endif

static atomic_int counter;

static void *add_twice(void *unused)
{
    for (int i = 0; i < 2; i++) {
        int seen = atomic_load(&counter);
        atomic_store(&counter, seen + 1);
    }
    return unused;
}

int main(void)
{
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, add_twice, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    return atomic_load(&counter) < 2;
}
