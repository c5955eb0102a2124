// Nobody signals: a timed wait ends with ETIMEDOUT, holding the mutex, its deadline passed, at each clock a condition can have.
// bound none: pass, traces 1
// bound preemption:0: pass, traces 1
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

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

static void assert_reached(clockid_t clock, struct timespec deadline)
{
    struct timespec now;
    clock_gettime(clock, &now);
    assert(now.tv_sec > deadline.tv_sec || (now.tv_sec == deadline.tv_sec && now.tv_nsec >= deadline.tv_nsec));
}

static void *wait_in_vain(void *unused)
{
    pthread_cond_t realtime = PTHREAD_COND_INITIALIZER, monotonic;
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    assert(pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0);
    pthread_cond_init(&monotonic, &attributes);
    pthread_condattr_destroy(&attributes);

    pthread_mutex_lock(&mutex);
    struct timespec deadline = soon(CLOCK_REALTIME);
    assert(pthread_cond_timedwait(&realtime, &mutex, &deadline) == ETIMEDOUT);
    assert_reached(CLOCK_REALTIME, deadline);
    deadline = soon(CLOCK_MONOTONIC);
    assert(pthread_cond_timedwait(&monotonic, &mutex, &deadline) == ETIMEDOUT);
    assert_reached(CLOCK_MONOTONIC, deadline);
    deadline = soon(CLOCK_MONOTONIC);
    assert(pthread_cond_clockwait(&realtime, &mutex, CLOCK_MONOTONIC, &deadline) == ETIMEDOUT);
    assert_reached(CLOCK_MONOTONIC, deadline);
    assert(pthread_mutex_trylock(&mutex) == EBUSY);
    pthread_mutex_unlock(&mutex);
    pthread_cond_destroy(&monotonic);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, wait_in_vain, NULL);
    pthread_join(thread, NULL);
    return 0;
}
