// A try against a lock/unlock pair: before it, inside it (EBUSY, a read) or after it. Three traces, both results.
// bound none: pass, traces 3
// bound preemption:0: pass, traces 2
// bound preemption:1: pass, traces 3
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *lock(void *unused)
{
    pthread_mutex_lock(&mutex);
    counter++;
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *try_once(void *got)
{
    int result = pthread_mutex_trylock(&mutex);
    assert(result == 0 || result == EBUSY);
    if (result == 0) {
        counter++;
        pthread_mutex_unlock(&mutex);
        *(int *)got = 1;
    }
    return NULL;
}

int main(void)
{
    pthread_t locker, trier;
    int got = 0;
    pthread_create(&locker, NULL, lock, NULL);
    pthread_create(&trier, NULL, try_once, &got);
    pthread_join(locker, NULL);
    pthread_join(trier, NULL);
    assert(counter == 1 + got);
    return 0;
}
