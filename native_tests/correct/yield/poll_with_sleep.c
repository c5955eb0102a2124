// A thread that polls and sleeps in between waits for another: from the second time round its sleep is a yield, so the loop ends.
// bound fair:2,preemption:1: pass
// bound fair:2: pass
// expect: pass
#include <pthread.h>
#include <unistd.h>

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
        usleep(1000);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, poll_until_ready, NULL);
    usleep(10);
    usleep(10);
    usleep(10);
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
