// Timed joins: a thread that cannot end makes them time out, at either clock; one that can is joined; no deadline waits for ever.
// bound none: pass, traces 1
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t go;

static void *wait_for_go(void *value)
{
    sem_wait(&go);
    return value;
}

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

int main(void)
{
    pthread_t first, second;
    int one, two;
    void *value = NULL;
    sem_init(&go, 0, 0);
    pthread_create(&first, NULL, wait_for_go, &one);
    struct timespec deadline = soon(CLOCK_REALTIME);
    assert(pthread_timedjoin_np(first, &value, &deadline) == ETIMEDOUT);
    deadline = soon(CLOCK_MONOTONIC);
    assert(pthread_clockjoin_np(first, &value, CLOCK_MONOTONIC, &deadline) == ETIMEDOUT);
    assert(pthread_clockjoin_np(first, &value, CLOCK_PROCESS_CPUTIME_ID, &deadline) == EINVAL);
    sem_post(&go);
    deadline = soon(CLOCK_REALTIME);
    deadline.tv_sec += 60;
    assert(pthread_timedjoin_np(first, &value, &deadline) == 0 && value == &one);
    sem_post(&go);
    pthread_create(&second, NULL, wait_for_go, &two);
    assert(pthread_timedjoin_np(second, &value, NULL) == 0 && value == &two);
    assert(pthread_timedjoin_np(pthread_self(), NULL, NULL) == EDEADLK);
    return 0;
}
