// With --signal=fifo a wake takes the waiter that came first, here the second thread, which was let go first.
// options: --signal=fifo
// bound fair:2,preemption:0: pass
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static uint32_t word;
static sem_t go[2], woken[2];

static void *sleep_there(void *number)
{
    long self = (long)number;
    sem_wait(&go[self]);
    while (syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0) != 0)
        continue;
    sem_post(&woken[self]);
    return NULL;
}

static void until_waiting(long count)
{
    while (syscall(SYS_futex, &word, FUTEX_REQUEUE_PRIVATE, 0, 9L, &word, 0) < count)
        usleep(1000);
}

int main(void)
{
    pthread_t thread[2];
    for (long i = 0; i < 2; i++) {
        sem_init(&go[i], 0, 0);
        sem_init(&woken[i], 0, 0);
    }
    for (long i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, sleep_there, (void *)i);
    sem_post(&go[1]);
    until_waiting(1);
    sem_post(&go[0]);
    until_waiting(2);
    assert(syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) == 1);
    sem_wait(&woken[1]);
    assert(syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) == 1);
    sem_wait(&woken[0]);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
