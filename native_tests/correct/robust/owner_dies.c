// The owner's thread ended: the next one gets EOWNERDEAD, repairs the mutex, and it is as good as new. Or it came first.
// bound none: pass, traces 2
// bound preemption:0: pass, traces 2
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t mutex;
static int died;

static void *die(void *unused)
{
    assert(pthread_mutex_lock(&mutex) == 0);
    died = 1;
    return unused;
}

static void *inherit(void *unused)
{
    int result = pthread_mutex_lock(&mutex);
    assert(result == (died ? EOWNERDEAD : 0));
    if (result == EOWNERDEAD)
        assert(pthread_mutex_consistent(&mutex) == 0);
    assert(pthread_mutex_unlock(&mutex) == 0);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &attributes);
    pthread_create(&thread[0], NULL, die, NULL);
    pthread_create(&thread[1], NULL, inherit, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    int result = pthread_mutex_trylock(&mutex);
    assert(result == 0 || result == EOWNERDEAD);
    if (result == EOWNERDEAD)
        assert(pthread_mutex_consistent(&mutex) == 0);
    assert(pthread_mutex_unlock(&mutex) == 0);
    assert(pthread_mutex_destroy(&mutex) == 0);
    return 0;
}
