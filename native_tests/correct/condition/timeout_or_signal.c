// A waiter that takes a timeout as an answer is right under --timeouts=explore too: it may time out although the signal comes.
// options: --timeouts=explore
// bound none: pass
// bound preemption:1: pass
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *wait_a_while(void *unused)
{
    struct timespec deadline;
    int result = 0;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += 100;
    pthread_mutex_lock(&mutex);
    while (!ready && result == 0)
        result = pthread_cond_timedwait(&changed, &mutex, &deadline);
    assert(ready || result == ETIMEDOUT);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, wait_a_while, NULL);
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
