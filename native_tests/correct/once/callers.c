// The routine runs once, whoever comes first, and is done when any caller goes on; those who find it done commute.
// bound none: pass, traces 2
// bound preemption:0: pass, traces 2
// with THREADS=3, bound none: pass, traces 3
// with THREADS=4, bound preemption:1: pass, traces 4
#include <assert.h>
#include <pthread.h>

#ifndef THREADS
#define THREADS 2
#endif

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int runs;

static void initialise(void)
{
    runs++;
}

static void *use(void *unused)
{
    assert(pthread_once(&once, initialise) == 0);
    assert(runs == 1);
    return unused;
}

int main(void)
{
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, use, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
