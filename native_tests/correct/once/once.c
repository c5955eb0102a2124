// Three threads want one initialisation: it runs once, and nobody goes on before it is done, although it waits for a lock.
// needs: pthread_once
// bound none: pass
// bound preemption:1: pass
#include <assert.h>
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int runs, ready;

static void initialise(void)
{
    runs++;
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_mutex_unlock(&mutex);
}

static void *use(void *unused)
{
    assert(pthread_once(&once, initialise) == 0);
    assert(ready);
    return unused;
}

int main(void)
{
    pthread_t thread[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, use, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    assert(runs == 1);
    return 0;
}
