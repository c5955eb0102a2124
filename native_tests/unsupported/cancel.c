// pthread_cancel is refused at the call, by name.
// says: pthread_cancel
// expect: uncontrolled
#include <pthread.h>
#include <semaphore.h>

static sem_t never;

static void *work(void *unused)
{
    sem_wait(&never);
    return unused;
}

int main(void)
{
    pthread_t thread;
    sem_init(&never, 0, 0);
    pthread_create(&thread, NULL, work, NULL);
    pthread_cancel(thread);
    pthread_join(thread, NULL);
    return 0;
}
