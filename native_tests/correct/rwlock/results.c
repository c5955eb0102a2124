// The results of every form, with one thread: recursion in reading, EBUSY, EDEADLK for the writer who asks again, EINVAL;
// init, destroy and init again; attributes.
// bound none: pass, traces 1
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static void *check(void *unused)
{
    pthread_rwlock_t lock;
    pthread_rwlockattr_t attributes;
    struct timespec past = {0, 0}, wrong = {0, 1000000000};
    pthread_rwlockattr_init(&attributes);
    assert(pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP) == 0);
    assert(pthread_rwlock_init(&lock, &attributes) == 0);
    assert(pthread_rwlock_rdlock(&lock) == 0);
    assert(pthread_rwlock_rdlock(&lock) == 0);
    assert(pthread_rwlock_tryrdlock(&lock) == 0);
    assert(pthread_rwlock_trywrlock(&lock) == EBUSY);
    assert(pthread_rwlock_timedwrlock(&lock, &past) == ETIMEDOUT);
    assert(pthread_rwlock_timedwrlock(&lock, &wrong) == EINVAL);
    assert(pthread_rwlock_clockwrlock(&lock, CLOCK_PROCESS_CPUTIME_ID, &past) == EINVAL);
    for (int i = 0; i < 3; i++)
        assert(pthread_rwlock_unlock(&lock) == 0);
    assert(pthread_rwlock_timedwrlock(&lock, &past) == 0);
    assert(pthread_rwlock_rdlock(&lock) == EDEADLK);
    assert(pthread_rwlock_wrlock(&lock) == EDEADLK);
    assert(pthread_rwlock_tryrdlock(&lock) == EBUSY);
    assert(pthread_rwlock_trywrlock(&lock) == EBUSY);
    assert(pthread_rwlock_unlock(&lock) == 0);
    assert(pthread_rwlock_timedrdlock(&lock, &past) == 0);
    assert(pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &past) == 0);
    assert(pthread_rwlock_unlock(&lock) == 0 && pthread_rwlock_unlock(&lock) == 0);
    assert(pthread_rwlock_destroy(&lock) == 0);
    assert(pthread_rwlock_init(&lock, NULL) == 0);
    assert(pthread_rwlock_trywrlock(&lock) == 0);
    assert(pthread_rwlock_unlock(&lock) == 0);
    assert(pthread_rwlock_destroy(&lock) == 0);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, check, NULL);
    pthread_join(thread, NULL);
    return 0;
}
