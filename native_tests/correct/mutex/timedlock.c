// A timed lock of a mutex whose owner waits for the thread times out, in virtual time and at both clocks; of a free one it
// succeeds.
// bound none: pass, traces 1
// bound preemption:1: pass, traces 1
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER, free_one = PTHREAD_MUTEX_INITIALIZER;

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

static int reached(clockid_t clock, struct timespec deadline)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec > deadline.tv_sec || (now.tv_sec == deadline.tv_sec && now.tv_nsec >= deadline.tv_nsec);
}

static void *lock_in_time(void *unused)
{
    struct timespec deadline = soon(CLOCK_REALTIME);
    assert(pthread_mutex_timedlock(&held, &deadline) == ETIMEDOUT);
    assert(reached(CLOCK_REALTIME, deadline));
    deadline = soon(CLOCK_MONOTONIC);
    assert(pthread_mutex_clocklock(&held, CLOCK_MONOTONIC, &deadline) == ETIMEDOUT);
    assert(reached(CLOCK_MONOTONIC, deadline));
    deadline = soon(CLOCK_REALTIME);
    assert(pthread_mutex_timedlock(&free_one, &deadline) == 0);
    pthread_mutex_unlock(&free_one);
    deadline.tv_nsec = -1;
    assert(pthread_mutex_timedlock(&held, &deadline) == EINVAL);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_mutex_lock(&held);
    pthread_create(&thread, NULL, lock_in_time, NULL);
    pthread_join(thread, NULL);
    pthread_mutex_unlock(&held);
    return 0;
}
