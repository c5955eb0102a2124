// A thread that waits for a robust mutex goes on when the owner's thread ends, also in a condition wait that takes it again.
// bound none: pass
// bound preemption:1: pass
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t mutex;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *signal_and_die(void *unused)
{
    int result = pthread_mutex_lock(&mutex);
    assert(result == 0);
    ready = 1;
    pthread_cond_signal(&changed);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &attributes);
    pthread_create(&thread, NULL, signal_and_die, NULL);
    int result = pthread_mutex_lock(&mutex);
    while (!ready)
        result = pthread_cond_wait(&changed, &mutex);
    assert(result == EOWNERDEAD);
    assert(pthread_mutex_consistent(&mutex) == 0);
    assert(pthread_mutex_unlock(&mutex) == 0);
    pthread_join(thread, NULL);
    return 0;
}
