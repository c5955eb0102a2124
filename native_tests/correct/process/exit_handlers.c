// Exit handlers run under control: the handler takes the mutex that the worker may hold at that moment, and gets it in the end.
// bound none: pass
// bound preemption:1: pass
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void handler(void)
{
    pthread_mutex_lock(&mutex);
    if (counter != 0 && counter != 1)
        _Exit(1);
    pthread_mutex_unlock(&mutex);
}

static void *work(void *unused)
{
    pthread_mutex_lock(&mutex);
    counter++;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    atexit(handler);
    pthread_create(&thread, NULL, work, NULL);
    return 0;
}
