// A timed wait that is always signalled before its (far) deadline: by default it never times out.
// bound none: pass, traces 2
// bound preemption:0: pass, traces 1
// bound preemption:1: pass, traces 2
#include <assert.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *wait_until_ready(void *unused)
{
    struct timespec deadline;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += 100;
    pthread_mutex_lock(&mutex);
    while (!ready)
        assert(pthread_cond_timedwait(&changed, &mutex, &deadline) == 0);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, wait_until_ready, NULL);
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
