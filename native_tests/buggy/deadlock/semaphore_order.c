// Two semaphores as locks, taken in opposite orders: ABBA without a mutex and so without an owner.
// bound preemption:0: pass, traces 2
// bound preemption:1: deadlock, traces 3
// bound none: deadlock, traces 3
#include <pthread.h>
#include <semaphore.h>

static sem_t a, b;

static void *a_then_b(void *unused)
{
    sem_wait(&a);
    sem_wait(&b);
    sem_post(&b);
    sem_post(&a);
    return unused;
}

static void *b_then_a(void *unused)
{
    sem_wait(&b);
    sem_wait(&a);
    sem_post(&a);
    sem_post(&b);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    sem_init(&a, 0, 1);
    sem_init(&b, 0, 1);
    pthread_create(&thread[0], NULL, a_then_b, NULL);
    pthread_create(&thread[1], NULL, b_then_a, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    return 0;
}
