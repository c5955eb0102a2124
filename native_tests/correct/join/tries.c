// Joins that do not wait for ever: EBUSY while the thread waits, ETIMEDOUT at either clock, its value when it is done.
// needs: pthread_tryjoin_np pthread_timedjoin_np pthread_clockjoin_np
// bound none: pass, traces 1
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t go;

static void *wait_and_return(void *value)
{
    sem_wait(&go);
    return value;
}

int main(void)
{
    pthread_t thread;
    struct timespec past = {0, 1}, soon;
    void *value = NULL;
    sem_init(&go, 0, 0);
    pthread_create(&thread, NULL, wait_and_return, (void *)3);
    assert(pthread_tryjoin_np(thread, &value) == EBUSY);
    assert(pthread_timedjoin_np(thread, &value, &past) == ETIMEDOUT);
    clock_gettime(CLOCK_MONOTONIC, &soon);
    assert(pthread_clockjoin_np(thread, &value, CLOCK_MONOTONIC, &soon) == ETIMEDOUT);
    sem_post(&go);
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_sec += 100;
    assert(pthread_timedjoin_np(thread, &value, &soon) == 0 && value == (void *)3);
    return 0;
}
