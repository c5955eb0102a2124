// A requeue wakes one waiter and moves the other to a second word, where a wake finds it; CMP_REQUEUE looks at the word first.
// bound preemption:1: pass
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static uint32_t from, to;
static sem_t never;

static void *sleep_there(void *unused)
{
    assert(syscall(SYS_futex, &from, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0) == 0);
    return unused;
}

static long requeue(uint32_t *target, int wake, long move, uint32_t expected)
{
    return syscall(SYS_futex, &from, FUTEX_CMP_REQUEUE_PRIVATE, wake, move, target, expected);
}

static void let_everybody_sleep(void)
{
    struct timespec soon;
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_nsec += soon.tv_nsec < 990 * 1000 * 1000 ? 5 * 1000 * 1000 : 0;
    assert(sem_timedwait(&never, &soon) == -1 && errno == ETIMEDOUT);
    while (requeue(&from, 0, INT_MAX, 0) < 2)
        usleep(1000);
}

int main(void)
{
    pthread_t thread[2];
    sem_init(&never, 0, 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, sleep_there, NULL);
    let_everybody_sleep();
    assert(requeue(&to, 1, 1, 7) == -1 && errno == EAGAIN);
    assert(requeue(&to, 1, 1, 0) == 2);
    assert(syscall(SYS_futex, &from, FUTEX_WAKE_PRIVATE, 9, NULL, NULL, 0) == 0);
    assert(syscall(SYS_futex, &to, FUTEX_WAKE_PRIVATE, 9, NULL, NULL, 0) == 1);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
