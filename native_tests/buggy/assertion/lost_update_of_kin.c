// Three threads that start alike add one to an atomic by a load and a store. One order of them is enough to lose an update.
// options: --symmetry=same
// bound preemption:0: pass
// bound preemption:1: assertion
// bound none: assertion
// says: T1, T2, T3, started alike, taken as interchangeable
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 3 };
static atomic_int counter;

static void *add(void *unused)
{
    int seen = atomic_load(&counter);
    atomic_store(&counter, seen + 1);
    return unused;
}

int main(void)
{
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, add, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    assert(atomic_load(&counter) == THREADS);
    return 0;
}
