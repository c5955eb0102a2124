// Mutexes with priority inheritance are mutexes: order and results as ever.
// bound none: pass, traces 2
// bound preemption:0: pass, traces 2
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t mutex;
static int counter;

static void *count(void *unused)
{
    assert(pthread_mutex_lock(&mutex) == 0);
    counter++;
    assert(pthread_mutex_trylock(&mutex) == EBUSY);
    assert(pthread_mutex_unlock(&mutex) == 0);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    assert(pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT) == 0);
    assert(pthread_mutex_init(&mutex, &attributes) == 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, count, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert(counter == 2);
    return 0;
}
