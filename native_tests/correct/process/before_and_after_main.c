// Locks are taken in a constructor before main and in a destructor after it: both belong to the program.
// bound none: pass, traces 1
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int phase;

__attribute__((constructor)) static void before_main(void)
{
    assert(pthread_mutex_lock(&mutex) == 0);
    phase = 1;
    assert(pthread_mutex_unlock(&mutex) == 0);
}

__attribute__((destructor)) static void after_main(void)
{
    if (pthread_mutex_lock(&mutex) != 0 || phase != 2)
        _Exit(1);
    pthread_mutex_unlock(&mutex);
}

static void *work(void *unused)
{
    pthread_mutex_lock(&mutex);
    phase++;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    assert(phase == 1);
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
