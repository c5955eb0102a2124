// Unlocked without being made consistent, a robust mutex is lost: ENOTRECOVERABLE for every form, for ever. Consistent is for the
// inconsistent only, and unlocking what one does not hold is EPERM.
// bound none: pass, traces 1
// with KIND=PTHREAD_MUTEX_RECURSIVE, bound none: pass, traces 1
// with KIND=PTHREAD_MUTEX_ERRORCHECK, bound none: pass, traces 1
// with PROTOCOL=PTHREAD_PRIO_INHERIT, bound none: pass, traces 1
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

#ifndef KIND
#define KIND PTHREAD_MUTEX_NORMAL
#endif
#ifndef PROTOCOL
#define PROTOCOL PTHREAD_PRIO_NONE
#endif

static pthread_mutex_t mutex;

static void *die(void *unused)
{
    assert(pthread_mutex_trylock(&mutex) == 0);
    pthread_exit(unused);
}

int main(void)
{
    pthread_t thread;
    pthread_mutexattr_t attributes;
    struct timespec past = {0, 0};
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, KIND);
    pthread_mutexattr_setprotocol(&attributes, PROTOCOL);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    assert(pthread_mutex_init(&mutex, &attributes) == 0);
    assert(pthread_mutex_consistent(&mutex) == EINVAL);
    pthread_create(&thread, NULL, die, NULL);
    pthread_join(thread, NULL);
    assert(pthread_mutex_unlock(&mutex) == EPERM);
    assert(pthread_mutex_lock(&mutex) == EOWNERDEAD);
    assert(pthread_mutex_unlock(&mutex) == 0);
    assert(pthread_mutex_lock(&mutex) == ENOTRECOVERABLE);
    assert(pthread_mutex_timedlock(&mutex, &past) == ENOTRECOVERABLE);
    assert(pthread_mutex_trylock(&mutex) == ENOTRECOVERABLE);
    assert(pthread_mutex_destroy(&mutex) == 0);
    return 0;
}
