// Two permits, three threads: never more than two inside. A post by anyone lets any waiter in.
// options: --machine-code=off
// bound none: pass, traces 54
// bound preemption:0: pass, traces 6
// bound preemption:1: pass, traces 24
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t permits;
static int inside;

static void *enter(void *unused)
{
    sem_wait(&permits);
    assert(__atomic_add_fetch(&inside, 1, __ATOMIC_SEQ_CST) <= 2);
    __atomic_sub_fetch(&inside, 1, __ATOMIC_SEQ_CST);
    sem_post(&permits);
    return unused;
}

int main(void)
{
    pthread_t thread[3];
    sem_init(&permits, 0, 2);
    for (int i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, enter, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    sem_destroy(&permits);
    return 0;
}
