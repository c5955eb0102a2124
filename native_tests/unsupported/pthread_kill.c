// A signal sent to another thread would interrupt it anywhere: refused at the call, by name.
// says: pthread_kill
// expect: uncontrolled
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

static sem_t go;

static void ignore(int signal)
{
    (void)signal;
}

static void *work(void *unused)
{
    while (sem_wait(&go) != 0)
        continue;
    return unused;
}

int main(void)
{
    pthread_t thread;
    signal(SIGUSR1, ignore);
    sem_init(&go, 0, 0);
    pthread_create(&thread, NULL, work, NULL);
    pthread_kill(thread, SIGUSR1);
    sem_post(&go);
    pthread_join(thread, NULL);
    return 0;
}
