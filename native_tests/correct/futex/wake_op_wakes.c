// FUTEX_WAKE_OP with waiters at both words wakes the first one's always, the second one's if the comparison holds. An idle timeout lets
// both fall asleep first; natively a loop does.
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

static uint32_t word[2];
static sem_t never;

static void *sleep_at(void *address)
{
    assert(syscall(SYS_futex, address, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0) == 0);
    return NULL;
}

/* Requeueing a queue to itself tells how many wait in it. */
static long waiters(uint32_t *address)
{
    return syscall(SYS_futex, address, FUTEX_REQUEUE_PRIVATE, 0, (long)INT_MAX, address, 0);
}

static void let_everybody_sleep(void)
{
    struct timespec soon;
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_nsec += soon.tv_nsec < 990 * 1000 * 1000 ? 5 * 1000 * 1000 : 0;
    assert(sem_timedwait(&never, &soon) == -1 && errno == ETIMEDOUT);
    while (waiters(&word[0]) + waiters(&word[1]) < 2)
        usleep(1000);
}

static long wake_op(int comparison, int argument)
{
    return syscall(SYS_futex, &word[0], FUTEX_WAKE_OP_PRIVATE, 1, 1L, &word[1], FUTEX_OP(FUTEX_OP_ADD, 0, comparison, argument));
}

int main(void)
{
    pthread_t thread[2];
    sem_init(&never, 0, 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, sleep_at, &word[i]);
    let_everybody_sleep();
    assert(wake_op(FUTEX_OP_CMP_GT, 0) == 1);
    assert(waiters(&word[0]) == 0 && waiters(&word[1]) == 1);
    assert(wake_op(FUTEX_OP_CMP_LE, 0) == 1);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
