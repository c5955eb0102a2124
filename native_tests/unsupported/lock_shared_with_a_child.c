// A child posts a semaphore that both processes share: nobody of this process would, and yet it is no deadlock.
// expect: uncontrolled
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    sem_t *ready = mmap(NULL, sizeof *ready, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    sem_init(ready, 1, 0);
    if (fork() == 0) {
        usleep(1000);
        sem_post(ready);
        _exit(0);
    }
    sem_wait(ready);
    return wait(NULL) < 0;
}
