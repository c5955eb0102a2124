// A try to write against a reader: before, inside (EBUSY) or after. The failed one is no read: readers decide its result.
// bound none: pass, traces 3
// bound preemption:0: pass, traces 2
// bound preemption:1: pass, traces 3
// with READERS=2, bound none: pass, traces 9
// with READERS=2, bound preemption:0: pass, traces 4
// with READERS=2, bound preemption:1: pass, traces 8
#include <assert.h>
#include <errno.h>
#include <pthread.h>

#ifndef READERS
#define READERS 1
#endif

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *reader(void *unused)
{
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    return unused;
}

static void *trier(void *unused)
{
    int result = pthread_rwlock_trywrlock(&lock);
    assert(result == 0 || result == EBUSY);
    if (result == 0)
        assert(pthread_rwlock_unlock(&lock) == 0);
    return unused;
}

int main(void)
{
    pthread_t thread[READERS + 1];
    for (int i = 0; i < READERS; i++)
        pthread_create(&thread[i], NULL, reader, NULL);
    pthread_create(&thread[READERS], NULL, trier, NULL);
    for (int i = 0; i <= READERS; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
