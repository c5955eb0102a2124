/* A wait that ends by its timeout, at the earliest moment that its deadline allows. If it repeats, it is a yield. Switching away
 * from the thread after it is free. */
#include "model/rules.h"
#include "runtime/alarm.h"
#include <errno.h>

void bpor_time_is_up(struct thread *thread)
{
    struct operation *op = &thread->op;
    op->flags |= BPOR_FLAG_TIMEOUT | BPOR_FLAG_CUT;
    if (thread->now < op->deadline)
        thread->now = op->deadline;
    bpor_alarm_look(thread);
    thread->result = ETIMEDOUT;
}

void bpor_time_out(struct thread *thread)
{
    bpor_mark_failed(thread);
    bpor_time_is_up(thread);
}
