// A constructor takes the lock for reading before main; main releases it under control, then a writer gets it.
// bound none: pass, traces 1
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int released;

__attribute__((constructor)) static void take(void)
{
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_rdlock(&lock);
}

static void *writer(void *unused)
{
    assert(pthread_rwlock_wrlock(&lock) == 0);
    assert(released);
    assert(pthread_rwlock_unlock(&lock) == 0);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
    assert(pthread_rwlock_unlock(&lock) == 0);
    released = 1;
    assert(pthread_rwlock_unlock(&lock) == 0);
    pthread_join(thread, NULL);
    return 0;
}
