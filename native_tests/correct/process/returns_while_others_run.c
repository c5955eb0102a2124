// Main returns while a worker still has a lock and an unlock to do: the end of the process comes before, between or after them.
// bound none: pass, traces 3
// bound preemption:0: pass, traces 1
// bound preemption:1: pass, traces 2
// bound preemption:2: pass, traces 3
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
    return 0;
}
