// Two timed waiters that nobody signals: either may time out first, the clock decides nothing between threads (erratum E22).
// bound none: pass, traces 2
// bound preemption:0: pass, traces 2
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER, shared = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t on_a = PTHREAD_COND_INITIALIZER, on_b = PTHREAD_COND_INITIALIZER;

static void time_out(pthread_cond_t *condition, pthread_mutex_t *mutex, long milliseconds)
{
    struct timespec deadline;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_nsec += milliseconds * 1000 * 1000;
    if (deadline.tv_nsec >= 1000 * 1000 * 1000) {
        deadline.tv_nsec -= 1000 * 1000 * 1000;
        deadline.tv_sec++;
    }
    pthread_mutex_lock(mutex);
    assert(pthread_cond_timedwait(condition, mutex, &deadline) == ETIMEDOUT);
    pthread_mutex_unlock(mutex);
    pthread_mutex_lock(&shared);
    pthread_mutex_unlock(&shared);
}

static void *first(void *unused)
{
    time_out(&on_a, &a, 10);
    return unused;
}

static void *second(void *unused)
{
    time_out(&on_b, &b, 20);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, first, NULL);
    pthread_create(&thread[1], NULL, second, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    return 0;
}
