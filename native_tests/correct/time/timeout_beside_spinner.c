// A timed wait beside a thread that polls and yields for ever until it has happened: the timeout comes, although somebody can
// always run.
// bound fair:2,preemption:1: pass
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t never;
static int timed_out;

static void *wait_in_vain(void *unused)
{
    struct timespec deadline;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_nsec += deadline.tv_nsec < 900 * 1000 * 1000 ? 1000 * 1000 : 0;
    int result = sem_timedwait(&never, &deadline) == -1 && errno == ETIMEDOUT;
    pthread_mutex_lock(&mutex);
    timed_out = result;
    pthread_mutex_unlock(&mutex);
    return unused;
}

static int has_timed_out(void)
{
    pthread_mutex_lock(&mutex);
    int seen = timed_out;
    pthread_mutex_unlock(&mutex);
    return seen;
}

int main(void)
{
    pthread_t thread;
    sem_init(&never, 0, 0);
    pthread_create(&thread, NULL, wait_in_vain, NULL);
    while (!has_timed_out())
        sched_yield();
    pthread_join(thread, NULL);
    return 0;
}
