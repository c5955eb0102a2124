// A condition used like a semaphore, without any state: if the signal comes first, nobody remembers it.
// bound none: deadlock, traces 2
// bound preemption:0: deadlock
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *wait_once(void *unused)
{
    pthread_mutex_lock(&mutex);
    pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, wait_once, NULL);
    pthread_mutex_lock(&mutex);
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
