// Two resources behind names, taken in opposite order. The deadlock leaves both names behind with the value 0: the next execution
// must not find them so.
// expect: deadlock
// bound preemption:0: pass
// bound preemption:1: deadlock
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>

static void take(const char *first, const char *second)
{
    sem_t *a = sem_open(first, O_CREAT, 0600, 1), *b = sem_open(second, O_CREAT, 0600, 1);
    assert(a != SEM_FAILED && b != SEM_FAILED);
    sem_wait(a);
    sem_wait(b);
    sem_post(b);
    sem_post(a);
}

static void *forth(void *unused)
{
    take("/bpor-test-order-a", "/bpor-test-order-b");
    return unused;
}

static void *back(void *unused)
{
    take("/bpor-test-order-b", "/bpor-test-order-a");
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, forth, NULL);
    pthread_create(&thread[1], NULL, back, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    sem_unlink("/bpor-test-order-a");
    sem_unlink("/bpor-test-order-b");
    return 0;
}
