// A semaphore with one permit as a lock, two threads twice: the traces of a mutex counter.
// bound preemption:0: pass, traces 2
// bound preemption:1: pass, traces 4
// bound preemption:2: pass, traces 6
// bound none: pass, traces 6
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t permit;
static int counter;

static void *add_twice(void *unused)
{
    for (int i = 0; i < 2; i++) {
        sem_wait(&permit);
        counter++;
        sem_post(&permit);
    }
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    sem_init(&permit, 0, 1);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, add_twice, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert(counter == 4);
    sem_destroy(&permit);
    return 0;
}
