// Main joins a thread while it holds the mutex the thread needs. If the thread was faster, all is well.
// bound preemption:0: deadlock
// bound preemption:1: deadlock, traces 2
// bound none: deadlock, traces 2
#include <pthread.h>

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
    pthread_create(&thread, NULL, work, NULL);
    pthread_mutex_lock(&mutex);
    pthread_join(thread, NULL);
    pthread_mutex_unlock(&mutex);
    return 0;
}
