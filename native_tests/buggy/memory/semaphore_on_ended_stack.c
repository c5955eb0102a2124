// A thread gives a helper a semaphore on its own stack, waits for another one, and ends. One preemption, between the helper's two
// posts; without it the helper has made both before the thread goes on.
// says: use of a stack that is gone: post on a semaphore on the stack of T1
// bound preemption:0: pass
// bound preemption:1: memory
#include <pthread.h>
#include <semaphore.h>

static sem_t begun;
static pthread_t helper;

static void *help(void *done)
{
    sem_post(&begun);
    sem_post(done);
    return NULL;
}

static void *work(void *unused)
{
    sem_t done;
    sem_init(&done, 0, 0);
    pthread_create(&helper, NULL, help, &done);
    sem_wait(&begun);
    return unused;
}

int main(void)
{
    pthread_t thread;
    sem_init(&begun, 0, 0);
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    pthread_join(helper, NULL);
    return 0;
}
