// Two threads create the same name exclusively: one gets it, the other EEXIST, which only looked.
// bound none: pass, traces 2
// bound preemption:0: pass, traces 2
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

static char name[64];
static int created, refused;

static void *create(void *unused)
{
    if (sem_open(name, O_CREAT | O_EXCL, 0600, 0) != SEM_FAILED) {
        __atomic_fetch_add(&created, 1, __ATOMIC_SEQ_CST);
    } else {
        assert(errno == EEXIST);
        __atomic_fetch_add(&refused, 1, __ATOMIC_SEQ_CST);
    }
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    snprintf(name, sizeof name, "/bpor-test-exclusive-%d", (int)getpid());
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, create, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert(created == 1 && refused == 1);
    assert(sem_unlink(name) == 0);
    return 0;
}
