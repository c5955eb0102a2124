/* Yields and sleeps. A yield is one wherever it stands. A sleep is always enabled (real time promises no order) and moves the
 * sleeper's clock; it is a yield in a loop, where a thread that sleeps again waits for somebody. */
#include "loops/circle.h"
#include "model/rules.h"

/* A look at the clock that repeats itself (intercept/time.c) is known to go round. */
void yield_perform(struct thread *thread)
{
    struct operation *op = &thread->op;
    if (op->flags & BPOR_FLAG_INFERRED)
        op->circles = true;
    else
        bpor_circle_mark(thread, LOOK_AT_FRAME);
    op->flags |= BPOR_FLAG_YIELD;
}

void sleep_perform(struct thread *thread)
{
    bpor_time_pass(thread, (uint64_t)thread->op.argument);
    bpor_circle_mark(thread, LOOK_AT_FRAME);
}
