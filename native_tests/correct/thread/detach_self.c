// A thread detaches itself and goes on; main waits for it with a semaphore.
// bound none: pass, traces 1
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t done;

static void *detach_myself(void *unused)
{
    assert(pthread_detach(pthread_self()) == 0);
    sem_post(&done);
    return unused;
}

int main(void)
{
    pthread_t thread;
    sem_init(&done, 0, 0);
    pthread_create(&thread, NULL, detach_myself, NULL);
    sem_wait(&done);
    return 0;
}
