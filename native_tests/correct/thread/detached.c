// Detached threads, by attribute and by pthread_detach: main waits for their work, not for them.
// bound none: pass, traces 8
// bound preemption:0: pass, traces 4
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t finished = PTHREAD_COND_INITIALIZER;
static int done;

static void *work(void *unused)
{
    pthread_mutex_lock(&mutex);
    done++;
    pthread_cond_signal(&finished);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_attr_t attributes;
    int state;
    pthread_attr_init(&attributes);
    assert(pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) == 0);
    assert(pthread_attr_getdetachstate(&attributes, &state) == 0 && state == PTHREAD_CREATE_DETACHED);
    assert(pthread_create(&thread, &attributes, work, NULL) == 0);
    pthread_attr_destroy(&attributes);
    assert(pthread_create(&thread, NULL, work, NULL) == 0);
    assert(pthread_detach(thread) == 0);
    pthread_mutex_lock(&mutex);
    while (done < 2)
        pthread_cond_wait(&finished, &mutex);
    pthread_mutex_unlock(&mutex);
    return 0;
}
