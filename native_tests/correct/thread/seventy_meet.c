// Seventy live threads wait at one semaphore each and are let go in turn: waits and enabled sets beyond the first word of a mask work.
// bound preemption:0: pass
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

enum { THREADS = 70 };

static sem_t turn[THREADS + 1];
static int passed;

static void *pass_on(void *number)
{
    long self = (long)number;
    sem_wait(&turn[self]);
    assert(passed++ == self);
    sem_post(&turn[self + 1]);
    return NULL;
}

int main(void)
{
    pthread_t thread[THREADS];
    for (int i = 0; i <= THREADS; i++)
        sem_init(&turn[i], 0, 0);
    for (long i = 0; i < THREADS; i++)
        assert(pthread_create(&thread[i], NULL, pass_on, (void *)i) == 0);
    sem_post(&turn[0]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
