// A worker calls exit(0) while main waits for another worker for ever: the process ends all the same, the exit handler runs once.
// bound none: pass, traces 1
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static sem_t never;
static int handled;

static void handler(void)
{
    if (++handled != 1)
        _Exit(1);
}

static void *wait_for_ever(void *unused)
{
    sem_wait(&never);
    return unused;
}

static void *leave(void *unused)
{
    (void)unused;
    exit(0);
}

int main(void)
{
    pthread_t waiter, leaver;
    atexit(handler);
    sem_init(&never, 0, 0);
    pthread_create(&waiter, NULL, wait_for_ever, NULL);
    pthread_create(&leaver, NULL, leave, NULL);
    pthread_join(waiter, NULL);
    return 1;
}
