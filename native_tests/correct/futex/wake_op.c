// FUTEX_WAKE_OP changes the second word by its operation and wakes there if the old value compares; all operations and comparisons.
// bound none: pass, traces 1
#define _GNU_SOURCE
#include <assert.h>
#include <linux/futex.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static uint32_t first, second;

static uint32_t after(uint32_t old, int operation, int argument)
{
    second = old;
    long woken =
        syscall(SYS_futex, &first, FUTEX_WAKE_OP_PRIVATE, 1, 1L, &second, FUTEX_OP(operation, argument, FUTEX_OP_CMP_EQ, 0));
    assert(woken == 0);
    return second;
}

int main(void)
{
    assert(after(5, FUTEX_OP_SET, 9) == 9);
    assert(after(5, FUTEX_OP_ADD, 9) == 14);
    assert(after(5, FUTEX_OP_ADD, -3) == 2);
    assert(after(5, FUTEX_OP_OR, 8) == 13);
    assert(after(5, FUTEX_OP_ANDN, 1) == 4);
    assert(after(5, FUTEX_OP_XOR, 7) == 2);
    assert(after(5, FUTEX_OP_OR | FUTEX_OP_OPARG_SHIFT, 4) == 21);
    return 0;
}
