// The same end of a thread with a mutex that is not robust: nobody gets it any more.
// expect: deadlock
// bound none: deadlock, traces 2
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *die(void *unused)
{
    pthread_mutex_lock(&mutex);
    return unused;
}

static void *inherit(void *unused)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, die, NULL);
    pthread_create(&thread[1], NULL, inherit, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    return 0;
}
