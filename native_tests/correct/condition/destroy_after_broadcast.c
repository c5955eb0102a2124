// A condition may be destroyed, and its memory used for a new one, as soon as everybody who waits has been woken.
// bound none: pass
// bound preemption:2: pass
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition;
static bool ready;

static void *wait_for_it(void *unused)
{
    pthread_mutex_lock(&mutex);
    if (!ready)
        pthread_cond_wait(&condition, &mutex);
    assert(ready);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_cond_init(&condition, NULL);
    pthread_create(&thread, NULL, wait_for_it, NULL);
    pthread_mutex_lock(&mutex);
    ready = true;
    pthread_cond_broadcast(&condition);
    assert(pthread_cond_destroy(&condition) == 0);
    assert(pthread_cond_init(&condition, NULL) == 0);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
