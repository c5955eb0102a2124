// A try to write beside a reader: before, inside (EBUSY) or after. A failed one depends on the reader's lock and unlock (erratum
// E23).
// needs: pthread_rwlock_trywrlock pthread_rwlock_rdlock
// bound none: pass, traces 3
// bound preemption:0: pass, traces 2
// bound preemption:1: pass, traces 3
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *read_once(void *unused)
{
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    return unused;
}

static void *try_to_write(void *unused)
{
    int result = pthread_rwlock_trywrlock(&lock);
    assert(result == 0 || result == EBUSY);
    if (result == 0)
        pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, read_once, NULL);
    pthread_create(&thread[1], NULL, try_to_write, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    return 0;
}
