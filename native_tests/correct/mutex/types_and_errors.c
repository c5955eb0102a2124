// The results POSIX prescribes for each mutex type, when one thread does it all: EDEADLK, EPERM, EBUSY, relocking.
// bound none: pass, traces 1
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static void make(pthread_mutex_t *mutex, int type)
{
    pthread_mutexattr_t attributes;
    int stored;
    assert(pthread_mutexattr_init(&attributes) == 0);
    assert(pthread_mutexattr_settype(&attributes, type) == 0);
    assert(pthread_mutexattr_gettype(&attributes, &stored) == 0 && stored == type);
    assert(pthread_mutex_init(mutex, &attributes) == 0);
    assert(pthread_mutexattr_destroy(&attributes) == 0);
}

int main(void)
{
    pthread_mutex_t mutex;

    make(&mutex, PTHREAD_MUTEX_ERRORCHECK);
    assert(pthread_mutex_unlock(&mutex) == EPERM);
    assert(pthread_mutex_lock(&mutex) == 0);
    assert(pthread_mutex_lock(&mutex) == EDEADLK);
    assert(pthread_mutex_trylock(&mutex) == EBUSY);
    assert(pthread_mutex_unlock(&mutex) == 0);
    assert(pthread_mutex_unlock(&mutex) == EPERM);
    assert(pthread_mutex_destroy(&mutex) == 0);

    make(&mutex, PTHREAD_MUTEX_RECURSIVE);
    assert(pthread_mutex_unlock(&mutex) == EPERM);
    assert(pthread_mutex_lock(&mutex) == 0);
    assert(pthread_mutex_lock(&mutex) == 0);
    assert(pthread_mutex_trylock(&mutex) == 0);
    assert(pthread_mutex_unlock(&mutex) == 0);
    assert(pthread_mutex_unlock(&mutex) == 0);
    assert(pthread_mutex_unlock(&mutex) == 0);
    assert(pthread_mutex_unlock(&mutex) == EPERM);
    assert(pthread_mutex_destroy(&mutex) == 0);

    make(&mutex, PTHREAD_MUTEX_NORMAL);
    assert(pthread_mutex_lock(&mutex) == 0);
    assert(pthread_mutex_trylock(&mutex) == EBUSY);
    assert(pthread_mutex_unlock(&mutex) == 0);
    assert(pthread_mutex_destroy(&mutex) == 0);

    make(&mutex, PTHREAD_MUTEX_ADAPTIVE_NP);
    assert(pthread_mutex_lock(&mutex) == 0);
    assert(pthread_mutex_trylock(&mutex) == EBUSY);
    assert(pthread_mutex_unlock(&mutex) == 0);
    assert(pthread_mutex_destroy(&mutex) == 0);

    assert(pthread_mutexattr_settype(&(pthread_mutexattr_t){0}, 99) == EINVAL);
    return 0;
}
