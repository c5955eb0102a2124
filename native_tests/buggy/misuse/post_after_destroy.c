// The last of two workers to post comes after main has destroyed the semaphore: main waits for one post, not for two.
// says: post on a semaphore that T0 destroyed
// bound preemption:0: misuse
#include <pthread.h>
#include <semaphore.h>

static sem_t done;

static void *work(void *unused)
{
    sem_post(&done);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    sem_init(&done, 0, 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, NULL);
    sem_wait(&done);
    sem_destroy(&done);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
