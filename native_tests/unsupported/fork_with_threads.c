// fork while another thread lives: the child would be a process nobody controls.
// says: fork
// expect: uncontrolled
#include <pthread.h>
#include <semaphore.h>
#include <sys/wait.h>
#include <unistd.h>

static sem_t go;

static void *work(void *unused)
{
    sem_wait(&go);
    return unused;
}

int main(void)
{
    pthread_t thread;
    sem_init(&go, 0, 0);
    pthread_create(&thread, NULL, work, NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
    sem_post(&go);
    pthread_join(thread, NULL);
    return 0;
}
