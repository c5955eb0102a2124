// A thread polls a flag under a mutex and yields in between: an endless loop for an unfair scheduler, not for a fair one.
// bound fair:2,preemption:1: pass
// bound fair:2: pass
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int ready;

static int is_ready(void)
{
    pthread_mutex_lock(&mutex);
    int seen = ready;
    pthread_mutex_unlock(&mutex);
    return seen;
}

static void *poll_until_ready(void *unused)
{
    while (!is_ready())
        sched_yield();
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, poll_until_ready, NULL);
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
