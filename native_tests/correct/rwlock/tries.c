// What tries of an rwlock say, to the thread that holds it and to another: EBUSY for whoever must not enter.
// needs: pthread_rwlock_tryrdlock pthread_rwlock_trywrlock pthread_rwlock_init
// bound none: pass, traces 1
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_rwlock_t lock;

static void *try_beside_reader(void *unused)
{
    assert(pthread_rwlock_trywrlock(&lock) == EBUSY);
    assert(pthread_rwlock_tryrdlock(&lock) == 0);
    assert(pthread_rwlock_unlock(&lock) == 0);
    return unused;
}

static void *try_beside_writer(void *unused)
{
    assert(pthread_rwlock_trywrlock(&lock) == EBUSY);
    assert(pthread_rwlock_tryrdlock(&lock) == EBUSY);
    return unused;
}

static void in_another_thread(void *(*function)(void *))
{
    pthread_t thread;
    pthread_create(&thread, NULL, function, NULL);
    pthread_join(thread, NULL);
}

int main(void)
{
    assert(pthread_rwlock_init(&lock, NULL) == 0);
    assert(pthread_rwlock_rdlock(&lock) == 0);
    assert(pthread_rwlock_rdlock(&lock) == 0);
    in_another_thread(try_beside_reader);
    assert(pthread_rwlock_unlock(&lock) == 0);
    assert(pthread_rwlock_unlock(&lock) == 0);
    assert(pthread_rwlock_wrlock(&lock) == 0);
    assert(pthread_rwlock_wrlock(&lock) == EDEADLK);
    in_another_thread(try_beside_writer);
    assert(pthread_rwlock_unlock(&lock) == 0);
    assert(pthread_rwlock_destroy(&lock) == 0);
    return 0;
}
