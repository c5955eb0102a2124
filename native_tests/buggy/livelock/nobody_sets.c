// A thread resets a flag and polls for it, politely: if the setter came first, nobody will set it again.
// options: --max-steps=600
// bound fair:2,preemption:1: livelock
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

static void *reset_and_poll(void *unused)
{
    pthread_mutex_lock(&mutex);
    ready = 0;
    pthread_mutex_unlock(&mutex);
    while (!is_ready())
        sched_yield();
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, reset_and_poll, NULL);
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
