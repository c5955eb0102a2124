// An initialisation takes a lock, and a thread calls it with the lock held while another is inside it.
// needs: pthread_once
// expect: deadlock
// bound preemption:0: pass
// bound preemption:1: deadlock
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static __thread int holds;

static void initialise(void)
{
    if (!holds) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
}

static void *with_lock(void *unused)
{
    pthread_mutex_lock(&mutex);
    holds = 1;
    pthread_once(&once, initialise);
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *without_lock(void *unused)
{
    pthread_once(&once, initialise);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, with_lock, NULL);
    pthread_create(&thread[1], NULL, without_lock, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    return 0;
}
