// Futex calls that make no sense fail as the kernel says: a misplaced word, no bits, a bad time, an unknown operation.
// bound none: pass, traces 1
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static uint32_t word[2];

static int error_of(void *address, int operation, const struct timespec *timeout, uint32_t bits)
{
    errno = 0;
    return syscall(SYS_futex, address, operation, 0, timeout, word, bits) == -1 ? errno : 0;
}

int main(void)
{
    struct timespec bad = {.tv_nsec = 1000 * 1000 * 1000}, negative = {.tv_sec = -1};
    assert(error_of((char *)word + 1, FUTEX_WAIT, NULL, 0) == EINVAL);
    assert(error_of((char *)word + 2, FUTEX_WAKE, NULL, 0) == EINVAL);
    assert(error_of(word, FUTEX_WAIT_BITSET, NULL, 0) == EINVAL);
    assert(error_of(word, FUTEX_WAKE_BITSET, NULL, 0) == EINVAL);
    assert(error_of(word, FUTEX_WAIT, &bad, 0) == EINVAL);
    assert(error_of(word, FUTEX_WAIT, &negative, 0) == EINVAL);
    assert(error_of(NULL, FUTEX_WAIT, NULL, 0) == EFAULT);
    assert(error_of(word, 99, NULL, 0) == ENOSYS);
    return 0;
}
