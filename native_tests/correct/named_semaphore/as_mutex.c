// A semaphore by name, opened by each thread anew, used as a mutex; closed by all, it is still there by its name.
// bound preemption:0: pass
// bound preemption:1: pass
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

static char name[64];
static int counter;

static void *count(void *unused)
{
    sem_t *mine = sem_open(name, O_CREAT, 0600, 1);
    assert(mine != SEM_FAILED);
    assert(sem_wait(mine) == 0);
    counter++;
    assert(sem_post(mine) == 0);
    assert(sem_close(mine) == 0);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    snprintf(name, sizeof name, "/bpor-test-as-mutex-%d", (int)getpid());
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, count, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert(counter == 2);
    sem_t *left = sem_open(name, 0);
    int value;
    assert(left != SEM_FAILED && sem_getvalue(left, &value) == 0 && value == 1);
    assert(sem_unlink(name) == 0);
    return 0;
}
