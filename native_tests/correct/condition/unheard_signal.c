// A signal or broadcast without a waiter is lost and harms nobody; destroyed and initialised again, a condition works as new.
// bound none: pass, traces 2
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;
static int ready;

static void *wait_until_ready(void *unused)
{
    pthread_mutex_lock(&mutex);
    while (!ready)
        assert(pthread_cond_wait(&changed, &mutex) == 0);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    assert(pthread_cond_init(&changed, NULL) == 0);
    assert(pthread_cond_signal(&changed) == 0);
    assert(pthread_cond_broadcast(&changed) == 0);
    assert(pthread_cond_destroy(&changed) == 0);
    assert(pthread_cond_init(&changed, NULL) == 0);
    pthread_create(&thread, NULL, wait_until_ready, NULL);
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_mutex_unlock(&mutex);
    assert(pthread_cond_signal(&changed) == 0);
    pthread_join(thread, NULL);
    assert(pthread_cond_destroy(&changed) == 0);
    return 0;
}
