// A try to read against a writer: before, inside (EBUSY) or after.
// bound none: pass, traces 3
// bound preemption:0: pass, traces 2
// bound preemption:1: pass, traces 3
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *writer(void *unused)
{
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
    return unused;
}

static void *trier(void *unused)
{
    int result = pthread_rwlock_tryrdlock(&lock);
    assert(result == 0 || result == EBUSY);
    if (result == 0)
        assert(pthread_rwlock_unlock(&lock) == 0);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, writer, NULL);
    pthread_create(&thread[1], NULL, trier, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    return 0;
}
