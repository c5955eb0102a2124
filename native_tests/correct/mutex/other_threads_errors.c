// While main holds them, another thread gets EBUSY from every type and EPERM for unlocking an errorcheck or recursive one.
// bound none: pass, traces 1
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t normal = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t errorcheck = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_mutex_t adaptive = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;

static void *try_all(void *unused)
{
    assert(pthread_mutex_trylock(&normal) == EBUSY);
    assert(pthread_mutex_trylock(&recursive) == EBUSY);
    assert(pthread_mutex_trylock(&errorcheck) == EBUSY);
    assert(pthread_mutex_trylock(&adaptive) == EBUSY);
    assert(pthread_mutex_unlock(&recursive) == EPERM);
    assert(pthread_mutex_unlock(&errorcheck) == EPERM);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_mutex_lock(&normal);
    pthread_mutex_lock(&recursive);
    pthread_mutex_lock(&errorcheck);
    pthread_mutex_lock(&adaptive);
    pthread_create(&thread, NULL, try_all, NULL);
    pthread_join(thread, NULL);
    assert(pthread_mutex_unlock(&adaptive) == 0);
    assert(pthread_mutex_unlock(&errorcheck) == 0);
    assert(pthread_mutex_unlock(&recursive) == 0);
    assert(pthread_mutex_unlock(&normal) == 0);
    return 0;
}
