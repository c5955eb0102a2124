// Waits at a barrier while it holds the mutex that the other needs on its way there. If the other was there first, all is well.
// expect: deadlock
// bound none: deadlock, traces 3
#include <pthread.h>

static pthread_barrier_t barrier;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *meet_holding(void *unused)
{
    pthread_mutex_lock(&mutex);
    pthread_barrier_wait(&barrier);
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *meet(void *unused)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_barrier_wait(&barrier);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread[0], NULL, meet_holding, NULL);
    pthread_create(&thread[1], NULL, meet, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    return 0;
}
