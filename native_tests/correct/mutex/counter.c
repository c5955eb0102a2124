// Every thread adds to a counter under one mutex, twice: the critical sections may come in any order and in no other way.
// with THREADS=2, bound preemption:0: pass, traces 2
// with THREADS=2, bound preemption:1: pass, traces 4
// with THREADS=2, bound preemption:2: pass, traces 6
// with THREADS=2, bound preemption:3: pass, traces 6
// with THREADS=2, bound none: pass, traces 6
// with THREADS=3, bound preemption:0: pass, traces 6
// with THREADS=3, bound preemption:1: pass, traces 24
// with THREADS=3, bound preemption:2: pass, traces 60
// with THREADS=3, bound preemption:3: pass, traces 90
// with THREADS=3, bound none: pass, traces 90
// with THREADS=4, bound preemption:0: pass, traces 24
// with THREADS=4, bound preemption:1: pass, traces 168
// with THREADS=4, bound preemption:2: pass, traces 672, slow
// with THREADS=4, bound preemption:3: pass, traces 1656, slow
// with THREADS=4, bound none: pass, traces 2520, slow
#include <assert.h>
#include <pthread.h>

#ifndef THREADS
#define THREADS 2
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *add_twice(void *unused)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&mutex);
        counter++;
        pthread_mutex_unlock(&mutex);
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
    assert(counter == 2 * THREADS);
    return 0;
}
