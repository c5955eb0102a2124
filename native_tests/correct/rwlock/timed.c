// Timed locks of an rwlock held by main, who waits for the thread, time out at either clock.
// needs: pthread_rwlock_timedrdlock pthread_rwlock_timedwrlock pthread_rwlock_clockrdlock pthread_rwlock_clockwrlock
// bound none: pass, traces 1
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static struct timespec soon(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    time.tv_nsec += 10 * 1000 * 1000;
    if (time.tv_nsec >= 1000 * 1000 * 1000) {
        time.tv_nsec -= 1000 * 1000 * 1000;
        time.tv_sec++;
    }
    return time;
}

static void *time_out(void *unused)
{
    struct timespec deadline = soon(CLOCK_REALTIME);
    assert(pthread_rwlock_timedrdlock(&lock, &deadline) == ETIMEDOUT);
    deadline = soon(CLOCK_REALTIME);
    assert(pthread_rwlock_timedwrlock(&lock, &deadline) == ETIMEDOUT);
    deadline = soon(CLOCK_MONOTONIC);
    assert(pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &deadline) == ETIMEDOUT);
    deadline = soon(CLOCK_MONOTONIC);
    assert(pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &deadline) == ETIMEDOUT);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_rwlock_wrlock(&lock);
    pthread_create(&thread, NULL, time_out, NULL);
    pthread_join(thread, NULL);
    pthread_rwlock_unlock(&lock);
    return 0;
}
