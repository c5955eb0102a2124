// A semaphore is waited for after it was closed: in an uncontrolled process its memory is gone.
// says: closed
// bound none: misuse, traces 1
#include <fcntl.h>
#include <semaphore.h>

int main(void)
{
    sem_t *semaphore = sem_open("/bpor-test-after-close", O_CREAT, 0600, 1);
    sem_unlink("/bpor-test-after-close");
    sem_close(semaphore);
    sem_wait(semaphore);
    return 0;
}
