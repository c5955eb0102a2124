// Two threads sleep at one word and one wake is meant for the first: any waiter may be woken, and the other is then waited for in vain.
// bound preemption:0: deadlock
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static uint32_t word;
static sem_t never;

static void *sleep_there(void *unused)
{
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    struct timespec soon;
    sem_init(&never, 0, 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, sleep_there, NULL);
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_sec++;
    sem_timedwait(&never, &soon); /* both sleep by now */
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    pthread_join(thread[0], NULL);
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    pthread_join(thread[1], NULL);
    return 0;
}
