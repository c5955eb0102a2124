// Main holds the mutex while two threads try it: failed tries are reads, their order is not a difference. One trace.
// bound none: pass, traces 1
// bound preemption:2: pass, traces 1
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *try_once(void *unused)
{
    assert(pthread_mutex_trylock(&mutex) == EBUSY);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, try_once, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    pthread_mutex_unlock(&mutex);
    return 0;
}
