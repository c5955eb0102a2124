// A try beside a post: before it (a read, EAGAIN) or after it. Two traces.
// bound none: pass, traces 2
// bound preemption:0: pass, traces 2
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t semaphore;

static void *post(void *unused)
{
    sem_post(&semaphore);
    return unused;
}

static void *try_once(void *got)
{
    if (sem_trywait(&semaphore) == 0)
        *(int *)got = 1;
    else
        assert(errno == EAGAIN);
    return NULL;
}

int main(void)
{
    pthread_t poster, trier;
    int got = 0, value;
    sem_init(&semaphore, 0, 0);
    pthread_create(&poster, NULL, post, NULL);
    pthread_create(&trier, NULL, try_once, &got);
    pthread_join(poster, NULL);
    pthread_join(trier, NULL);
    sem_getvalue(&semaphore, &value);
    assert(value == 1 - got);
    sem_destroy(&semaphore);
    return 0;
}
