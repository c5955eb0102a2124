// Values, EAGAIN and EOVERFLOW of one semaphore in one thread, as POSIX says.
// bound none: pass, traces 1
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <semaphore.h>

int main(void)
{
    sem_t semaphore;
    int value;
    assert(sem_init(&semaphore, 0, 2) == 0);
    assert(sem_getvalue(&semaphore, &value) == 0 && value == 2);
    assert(sem_wait(&semaphore) == 0);
    assert(sem_trywait(&semaphore) == 0);
    errno = 0;
    assert(sem_trywait(&semaphore) == -1 && errno == EAGAIN);
    assert(sem_getvalue(&semaphore, &value) == 0 && value == 0);
    assert(sem_post(&semaphore) == 0);
    assert(sem_getvalue(&semaphore, &value) == 0 && value == 1);
    assert(sem_destroy(&semaphore) == 0);
    assert(sem_init(&semaphore, 0, SEM_VALUE_MAX) == 0);
    assert(sem_post(&semaphore) == -1 && errno == EOVERFLOW);
    assert(sem_destroy(&semaphore) == 0);
    assert(sem_init(&semaphore, 0, SEM_VALUE_MAX + 1u) == -1 && errno == EINVAL);
    return 0;
}
