// A lock that prefers writers: whoever reads it already may try again, or wait for a time, and gives up while a writer waits; the
// writer gets it then. A lock of the usual kind is read twice beside a writer.
// bound none: pass
// bound preemption:1: pass
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_rwlock_t strict = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP, usual = PTHREAD_RWLOCK_INITIALIZER;
static int value;

static void *read_twice(void *unused)
{
    struct timespec deadline;
    clock_gettime(CLOCK_REALTIME, &deadline);
    pthread_rwlock_rdlock(&strict);
    if (pthread_rwlock_tryrdlock(&strict) == 0) {
        pthread_rwlock_unlock(&strict);
        if (pthread_rwlock_timedrdlock(&strict, &deadline) != ETIMEDOUT)
            pthread_rwlock_unlock(&strict);
    }
    assert(value == 0 || value == 1);
    pthread_rwlock_unlock(&strict);
    pthread_rwlock_rdlock(&usual);
    pthread_rwlock_rdlock(&usual);
    pthread_rwlock_unlock(&usual);
    pthread_rwlock_unlock(&usual);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, read_twice, NULL);
    pthread_rwlock_wrlock(&usual);
    pthread_rwlock_unlock(&usual);
    pthread_rwlock_wrlock(&strict);
    assert(pthread_rwlock_wrlock(&strict) == EDEADLK && pthread_rwlock_tryrdlock(&strict) == EBUSY);
    value = 1;
    pthread_rwlock_unlock(&strict);
    pthread_join(thread, NULL);
    return 0;
}
