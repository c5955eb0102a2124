// Timed read and write locks on a lock that stays held time out, at either clock, and their time has passed then.
// bound none: pass
// bound preemption:1: pass
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
    time.tv_nsec += 20 * 1000 * 1000;
    if (time.tv_nsec >= 1000 * 1000 * 1000) {
        time.tv_nsec -= 1000 * 1000 * 1000;
        time.tv_sec++;
    }
    return time;
}

static int has_passed(clockid_t clock, struct timespec deadline)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec > deadline.tv_sec || (now.tv_sec == deadline.tv_sec && now.tv_nsec >= deadline.tv_nsec);
}

static void *wait_in_vain(void *unused)
{
    struct timespec deadline = soon(CLOCK_REALTIME);
    assert(pthread_rwlock_timedrdlock(&lock, &deadline) == ETIMEDOUT);
    assert(has_passed(CLOCK_REALTIME, deadline));
    deadline = soon(CLOCK_MONOTONIC);
    assert(pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &deadline) == ETIMEDOUT);
    assert(has_passed(CLOCK_MONOTONIC, deadline));
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_rwlock_wrlock(&lock);
    pthread_create(&thread, NULL, wait_in_vain, NULL);
    pthread_join(thread, NULL);
    pthread_rwlock_unlock(&lock);
    return 0;
}
