// A thread waits in a loop until main has set a flag. Either it waits first, or it finds the flag set: two traces.
// bound none: pass, traces 2
// bound preemption:0: pass, traces 1
// bound preemption:1: pass, traces 2
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *wait_until_ready(void *unused)
{
    pthread_mutex_lock(&mutex);
    while (!ready)
        pthread_cond_wait(&changed, &mutex);
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
