// The owner of a robust mutex ends without unlocking: the next one gets EOWNERDEAD, repairs and goes on; without the repair the
// mutex is ENOTRECOVERABLE.
// needs: pthread_mutex_consistent
// bound none: pass, traces 1
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t mutex;

static void *die_with_it(void *unused)
{
    assert(pthread_mutex_lock(&mutex) == 0);
    return unused;
}

static void let_one_die(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, die_with_it, NULL);
    pthread_join(thread, NULL);
}

int main(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    assert(pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST) == 0);
    assert(pthread_mutex_init(&mutex, &attributes) == 0);
    let_one_die();
    assert(pthread_mutex_lock(&mutex) == EOWNERDEAD);
    assert(pthread_mutex_consistent(&mutex) == 0);
    assert(pthread_mutex_unlock(&mutex) == 0);
    let_one_die();
    assert(pthread_mutex_trylock(&mutex) == EOWNERDEAD);
    assert(pthread_mutex_unlock(&mutex) == 0);
    assert(pthread_mutex_lock(&mutex) == ENOTRECOVERABLE);
    assert(pthread_mutex_destroy(&mutex) == 0);
    return 0;
}
