// A thread that merely looks with sem_trywait keeps the permit it got by accident; a waiter starves if it came first.
// expect: deadlock
// bound none: deadlock, traces 3
#include <pthread.h>
#include <semaphore.h>

static sem_t items;

static void *produce(void *unused)
{
    sem_post(&items);
    return unused;
}

static void *look(void *unused)
{
    sem_trywait(&items);
    return unused;
}

static void *consume(void *unused)
{
    sem_wait(&items);
    return unused;
}

int main(void)
{
    pthread_t thread[3];
    sem_init(&items, 0, 0);
    pthread_create(&thread[0], NULL, produce, NULL);
    pthread_create(&thread[1], NULL, consume, NULL);
    pthread_create(&thread[2], NULL, look, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
