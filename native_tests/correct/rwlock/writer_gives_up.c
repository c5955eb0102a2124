// A writer that waited in vain for a lock which prefers writers holds nobody back any more: the reader gets it a second time.
// bound none: pass
// bound preemption:2: pass
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;

static void *write_or_give_up(void *unused)
{
    struct timespec deadline;
    clock_gettime(CLOCK_MONOTONIC, &deadline);
    deadline.tv_sec += 1;
    int error = pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &deadline);
    assert(error == 0 || error == ETIMEDOUT);
    if (error == 0)
        pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, write_or_give_up, NULL);
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
