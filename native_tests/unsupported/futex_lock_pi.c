// A futex with priority inheritance is taken by the kernel itself: refused at the call, by name.
// says: FUTEX_LOCK_PI
// expect: uncontrolled
#define _GNU_SOURCE
#include <linux/futex.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static uint32_t word;

int main(void)
{
    return syscall(SYS_futex, &word, FUTEX_LOCK_PI_PRIVATE, 0, NULL, NULL, 0) == 0 ? 0 : 1;
}
