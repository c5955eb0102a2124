/* The end of a wait by its timeout: a failed try that is always a yield, at the earliest moment its deadline allows. */
#include "model/rules.h"
#include <errno.h>

void bpor_time_out(struct thread *thread)
{
    struct operation *op = &thread->op;
    bpor_mark_failed(thread);
    op->flags |= BPOR_FLAG_TIMEOUT | BPOR_FLAG_YIELD;
    if (thread->now < op->deadline)
        thread->now = op->deadline;
    thread->result = ETIMEDOUT;
}
