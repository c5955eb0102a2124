// An early return forgets the unlock, which hurts only if that thread comes first.
// expect: deadlock
// bound none: deadlock, traces 2
// bound preemption:0: deadlock
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int initialised;

static void *set(void *unused)
{
    pthread_mutex_lock(&mutex);
    initialised = 1;
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *use(void *unused)
{
    pthread_mutex_lock(&mutex);
    if (!initialised)
        return unused;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, set, NULL);
    pthread_create(&thread[1], NULL, use, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    return 0;
}
