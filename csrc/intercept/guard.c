/* __cxa_guard_*: the initialisation of C++ static local variables (model/guard.c). Compiled code asks only while the variable is
 * not initialised.
 *
 * libstdc++ may be loaded later and out of our sight (a C++ extension of an interpreter), yet its users find ours first: so there
 * is an implementation of our own for when there is nothing behind us, on the same bytes. */
#include "model/rules.h"
#include "runtime/real.h"
#include "runtime/sys.h"
#include <linux/futex.h>

enum { DONE_WORD = 1, BUSY_WORD = 0x100, WAITED_WORD = 0x10000 }; /* bytes 0 to 2 of the guard, as libstdc++ uses them */

INTERCEPT int __cxa_guard_acquire(uint64_t *guard);
INTERCEPT void __cxa_guard_release(uint64_t *guard);
INTERCEPT void __cxa_guard_abort(uint64_t *guard);

static int acquire_alone(uint64_t *guard)
{
    int *word = (int *)guard, seen = 0;
    while (!__atomic_compare_exchange_n(word, &seen, BUSY_WORD, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        if (seen == DONE_WORD)
            return 0;
        int waited = seen | WAITED_WORD;
        if (seen == waited || __atomic_compare_exchange_n(word, &seen, waited, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            sys_call4(SYS_futex, word, FUTEX_WAIT_PRIVATE, waited, 0);
        seen = 0;
    }
    return 1;
}

static void release_alone(uint64_t *guard, int value)
{
    int *word = (int *)guard;
    if (__atomic_exchange_n(word, value, __ATOMIC_ACQ_REL) & WAITED_WORD)
        sys_call3(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT32_MAX);
}

static int guard_step(enum operation_kind kind, uint64_t *guard, bool initialised, const void *site)
{
    struct object *object = bpor_object(guard, BPOR_CLASS_SYNC, FAMILY_GUARD);
    struct operation *op = bpor_operation(kind, site);
    bpor_touch_object(op, object, true);
    op->argument = initialised;
    return bpor_step();
}

int __cxa_guard_acquire(uint64_t *guard)
{
    if (bpor_controlled())
        return guard_step(OP_GUARD_ACQUIRE, guard, false, CALL_SITE);
    return REAL(__cxa_guard_acquire) ? REAL(__cxa_guard_acquire)(guard) : acquire_alone(guard);
}

void __cxa_guard_release(uint64_t *guard)
{
    if (bpor_controlled())
        guard_step(OP_GUARD_RELEASE, guard, true, CALL_SITE);
    else if (REAL(__cxa_guard_release))
        REAL(__cxa_guard_release)(guard);
    else
        release_alone(guard, DONE_WORD);
}

void __cxa_guard_abort(uint64_t *guard)
{
    if (bpor_controlled())
        guard_step(OP_GUARD_RELEASE, guard, false, CALL_SITE);
    else if (REAL(__cxa_guard_abort))
        REAL(__cxa_guard_abort)(guard);
    else
        release_alone(guard, 0);
}
