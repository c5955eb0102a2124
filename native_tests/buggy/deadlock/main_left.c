// Main left with pthread_exit and never posts: the worker alone is a deadlock, the process does not end.
// bound none: deadlock, traces 1
#include <pthread.h>
#include <semaphore.h>

static sem_t never;

static void *wait_for_ever(void *unused)
{
    sem_wait(&never);
    return unused;
}

int main(void)
{
    pthread_t thread;
    sem_init(&never, 0, 0);
    pthread_create(&thread, NULL, wait_for_ever, NULL);
    pthread_exit(NULL);
}
