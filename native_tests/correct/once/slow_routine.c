// The routine takes a lock and lets others run: a second caller waits until it is done.
// bound none: pass, traces 2
// bound preemption:2: pass, traces 2
#include <assert.h>
#include <pthread.h>
#include <sched.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int ready;

static void initialise(void)
{
    pthread_mutex_lock(&mutex);
    sched_yield();
    ready = 1;
    pthread_mutex_unlock(&mutex);
}

static void *use(void *unused)
{
    pthread_once(&once, initialise);
    assert(ready);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, use, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
