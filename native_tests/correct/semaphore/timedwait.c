// A timed wait without a post times out at either clock; with a permit it succeeds, however old the deadline is.
// bound none: pass, traces 1
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t semaphore;

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

static void *wait_in_vain(void *unused)
{
    struct timespec deadline = soon(CLOCK_REALTIME), past = {0, 0}, wrong = {0, -1};
    assert(sem_timedwait(&semaphore, &deadline) == -1 && errno == ETIMEDOUT);
    deadline = soon(CLOCK_MONOTONIC);
    assert(sem_clockwait(&semaphore, CLOCK_MONOTONIC, &deadline) == -1 && errno == ETIMEDOUT);
    sem_post(&semaphore);
    assert(sem_timedwait(&semaphore, &past) == 0);
    assert(sem_timedwait(&semaphore, &wrong) == -1 && errno == EINVAL);
    return unused;
}

int main(void)
{
    pthread_t thread;
    sem_init(&semaphore, 0, 0);
    pthread_create(&thread, NULL, wait_in_vain, NULL);
    pthread_join(thread, NULL);
    sem_destroy(&semaphore);
    return 0;
}
