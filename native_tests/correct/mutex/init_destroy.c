// One piece of memory is a normal mutex, then a recursive one, then an errorcheck one: destroy and init forget the past.
// bound none: pass, traces 1
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t mutex;

static void *lock(void *unused)
{
    assert(pthread_mutex_lock(&mutex) == 0);
    assert(pthread_mutex_unlock(&mutex) == 0);
    return unused;
}

static void in_another_thread(void *(*function)(void *))
{
    pthread_t thread;
    pthread_create(&thread, NULL, function, NULL);
    pthread_join(thread, NULL);
}

static void make(int type)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, type);
    assert(pthread_mutex_init(&mutex, &attributes) == 0);
    pthread_mutexattr_destroy(&attributes);
}

int main(void)
{
    assert(pthread_mutex_init(&mutex, NULL) == 0);
    in_another_thread(lock);
    assert(pthread_mutex_destroy(&mutex) == 0);

    make(PTHREAD_MUTEX_RECURSIVE);
    in_another_thread(lock);
    assert(pthread_mutex_lock(&mutex) == 0 && pthread_mutex_lock(&mutex) == 0);
    assert(pthread_mutex_unlock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0);
    assert(pthread_mutex_destroy(&mutex) == 0);

    make(PTHREAD_MUTEX_ERRORCHECK);
    in_another_thread(lock);
    assert(pthread_mutex_lock(&mutex) == 0 && pthread_mutex_lock(&mutex) == EDEADLK);
    assert(pthread_mutex_unlock(&mutex) == 0);
    assert(pthread_mutex_destroy(&mutex) == 0);
    return 0;
}
