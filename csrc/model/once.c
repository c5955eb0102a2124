/* pthread_once. The state lies in the control word, in libc's own form: bit 0 while the routine runs, bit 1 when it is done.
 * A call is one step that reads if the routine is done; else it writes and the routine runs between it and ONCE_END, while every
 * other caller is blocked, the runner itself included. */
#include "model/rules.h"

enum { RUNNING_BIT = 1, DONE_BIT = 2 };

static volatile int *control_of(const struct thread *thread)
{
    return (volatile int *)thread->op.object->address;
}

bool bpor_once_is_done(const void *control)
{
    return *(const volatile int *)control & DONE_BIT;
}

bool once_begin_enabled(const struct thread *thread)
{
    return !(*control_of(thread) & RUNNING_BIT);
}

/* The result: whether the caller runs the routine. */
void once_begin_perform(struct thread *thread)
{
    struct operation *op = &thread->op;
    if (*control_of(thread) & DONE_BIT) {
        op->access[0].write = 0;
        return;
    }
    *control_of(thread) = RUNNING_BIT;
    op->object->owner = thread->id;
    thread->result = 1;
}

/* The argument: whether the routine returned; if it was left by an exception or pthread_exit, another caller runs it again. */
void once_end_perform(struct thread *thread)
{
    *control_of(thread) = thread->op.argument ? DONE_BIT : 0;
    thread->op.object->owner = BPOR_NO_THREAD;
}
