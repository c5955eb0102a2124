// A mutex locked in a constructor, before anything is controlled, is held in main: the other thread must wait for its unlock.
// bound none: pass, traces 1
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int unlocked;

__attribute__((constructor)) static void before_main(void)
{
    pthread_mutex_lock(&mutex);
}

static void *work(void *unused)
{
    pthread_mutex_lock(&mutex);
    assert(unlocked);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    assert(pthread_mutex_trylock(&mutex) == EBUSY);
    pthread_create(&thread, NULL, work, NULL);
    unlocked = 1;
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
