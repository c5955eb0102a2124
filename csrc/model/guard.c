/* The guards of C++ static local variables (Itanium C++ ABI 3.3.3): byte 0 tells compiled code that the variable is initialised,
 * byte 1 is libstdc++'s mark that somebody is at it. A thread that comes to a variable it is just initialising blocks for ever,
 * as in libstdc++. */
#include "model/rules.h"

enum { DONE, BUSY }; /* bytes */

static volatile uint8_t *guard_of(const struct thread *thread)
{
    return (volatile uint8_t *)thread->op.object->address;
}

bool guard_acquire_enabled(const struct thread *thread)
{
    return guard_of(thread)[DONE] || !guard_of(thread)[BUSY];
}

/* The result: whether the caller is to initialise the variable. */
void guard_acquire_perform(struct thread *thread)
{
    struct operation *op = &thread->op;
    if (guard_of(thread)[DONE]) {
        op->access[0].write = 0;
        return;
    }
    guard_of(thread)[BUSY] = 1;
    op->object->owner = thread->id;
    thread->result = 1;
}

/* The argument: whether the variable is initialised; it is not if its constructor threw. */
void guard_release_perform(struct thread *thread)
{
    guard_of(thread)[BUSY] = 0;
    guard_of(thread)[DONE] = thread->op.argument != 0;
    thread->op.object->owner = BPOR_NO_THREAD;
}
