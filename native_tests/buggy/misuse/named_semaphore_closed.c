// Main closes the semaphore while the worker may still wait for it or post it.
// says: close
// expect: misuse
// bound none: misuse
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t *semaphore;

static void *post(void *unused)
{
    sem_post(semaphore);
    return unused;
}

int main(void)
{
    pthread_t thread;
    semaphore = sem_open("/bpor-test-closed", O_CREAT, 0600, 0);
    sem_unlink("/bpor-test-closed");
    pthread_create(&thread, NULL, post, NULL);
    sem_close(semaphore);
    pthread_join(thread, NULL);
    return 0;
}
