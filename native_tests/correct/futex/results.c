// What futex calls return: EAGAIN for another value, ETIMEDOUT, the number woken, 0 when woken; masks of the bitset forms are
// respected.
// needs: syscall
// bound none: pass
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_int word;

static long futex(int operation, int value, const struct timespec *timeout, unsigned mask)
{
    return syscall(SYS_futex, &word, operation, value, timeout, NULL, mask);
}

static void *wait_for_wake(void *unused)
{
    while (word == 0) {
        long result = futex(FUTEX_WAIT_BITSET_PRIVATE, 0, NULL, 2);
        assert(result == 0 || errno == EAGAIN);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    struct timespec little = {.tv_nsec = 1000};
    assert(futex(FUTEX_WAIT_PRIVATE, 1, NULL, 0) == -1 && errno == EAGAIN);
    assert(futex(FUTEX_WAIT_PRIVATE, 0, &little, 0) == -1 && errno == ETIMEDOUT);
    assert(futex(FUTEX_WAKE_PRIVATE, 1, NULL, 0) == 0);
    pthread_create(&thread, NULL, wait_for_wake, NULL);
    assert(futex(FUTEX_WAKE_BITSET_PRIVATE, 1, NULL, 1) == 0);
    word = 1;
    assert(futex(FUTEX_WAKE_BITSET_PRIVATE, 1, NULL, 2) <= 1);
    pthread_join(thread, NULL);
    return 0;
}
