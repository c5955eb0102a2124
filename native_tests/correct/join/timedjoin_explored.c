// Where timeouts are explored, a timed join of a thread that can end also gives up: before its end or after it.
// options: --timeouts=explore
// bound none: pass, traces 2
// bound preemption:0: pass, traces 1
// bound preemption:1: pass, traces 2
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    struct timespec deadline;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += 100;
    pthread_create(&thread, NULL, work, NULL);
    int result = pthread_timedjoin_np(thread, NULL, &deadline);
    assert(result == 0 || result == ETIMEDOUT);
    if (result == ETIMEDOUT)
        assert(pthread_join(thread, NULL) == 0);
    return 0;
}
