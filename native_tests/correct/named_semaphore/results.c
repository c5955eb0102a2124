// The same name is the same semaphore; unlinked it lives on for who has it, and a new one of that name is another. Errors.
// bound none: pass, traces 1
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void *check(void *unused)
{
    char name[64], longest[254];
    int value;
    snprintf(name, sizeof name, "/bpor-test-results-%d", (int)getpid());
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert(sem_open(name, 0) == SEM_FAILED && errno == ENOENT);
    assert(sem_unlink(name) == -1 && errno == ENOENT);
    assert(sem_open("/", O_CREAT, 0600, 1) == SEM_FAILED && errno == EINVAL);
    assert(sem_open("/a/b", O_CREAT, 0600, 1) == SEM_FAILED && errno == EINVAL);
    assert(sem_open(longest, O_CREAT, 0600, 1) == SEM_FAILED && errno == ENAMETOOLONG);
    sem_t *first = sem_open(name, O_CREAT, 0600, 3), *again = sem_open(name, O_CREAT, 0600, 9);
    assert(first != SEM_FAILED && again == first);
    assert(sem_getvalue(again, &value) == 0 && value == 3);
    assert(sem_open(name, O_CREAT | O_EXCL, 0600, 1) == SEM_FAILED && errno == EEXIST);
    assert(sem_close(again) == 0);
    assert(sem_wait(first) == 0);
    assert(sem_unlink(name) == 0);
    sem_t *second = sem_open(name, O_CREAT, 0600, 0);
    assert(second != SEM_FAILED && second != first);
    assert(sem_trywait(second) == -1 && errno == EAGAIN);
    assert(sem_trywait(first) == 0);
    assert(sem_unlink(name) == 0 && sem_close(first) == 0 && sem_close(second) == 0);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, check, NULL);
    pthread_join(thread, NULL);
    return 0;
}
