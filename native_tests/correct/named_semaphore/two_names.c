// Two opens of one name are one semaphore; a name unlinked and made again is another one.
// needs: sem_open
// bound none: pass, traces 6
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

static char name[64];

static void *enter(void *unused)
{
    sem_t *mine = sem_open(name, 0);
    assert(mine != SEM_FAILED);
    sem_wait(mine);
    sem_post(mine);
    sem_close(mine);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    int value;
    snprintf(name, sizeof name, "/two_names_%d", (int)getpid());
    sem_unlink(name);
    assert(sem_open(name, 0) == SEM_FAILED && errno == ENOENT);
    sem_t *semaphore = sem_open(name, O_CREAT | O_EXCL, 0600, 1);
    assert(semaphore != SEM_FAILED);
    assert(sem_open(name, O_CREAT | O_EXCL, 0600, 1) == SEM_FAILED && errno == EEXIST);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, enter, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert(sem_unlink(name) == 0);
    sem_t *other = sem_open(name, O_CREAT, 0600, 5);
    assert(other != semaphore);
    assert(sem_getvalue(other, &value) == 0 && value == 5);
    assert(sem_getvalue(semaphore, &value) == 0 && value == 1);
    assert(sem_unlink(name) == 0);
    return 0;
}
