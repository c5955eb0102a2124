/* Joins that may fail. A plain join needs no dependence: it is blocked until the thread's end, which is no step. One that may
 * come too early races with that end, so in programs that use such joins (process/imports.c) the end of a thread is a step
 * (thread_end.c) that writes the thread, as tryjoin and timedjoin do; one that failed has only read. */
#include "model/rules.h"
#include <errno.h>

void bpor_touch_thread(struct operation *op, const struct thread *thread)
{
    bpor_touch(op, bpor_named_object(BPOR_CLASS_THREAD, thread->name), 1, true);
}

bool timedjoin_enabled(const struct thread *thread)
{
    return bpor->thread[thread->op.target].state == THREAD_FINISHED;
}

void tryjoin_perform(struct thread *thread)
{
    struct operation *op = &thread->op;
    if (timedjoin_enabled(thread)) {
        thread_join_perform(thread);
        return;
    }
    op->access[0].write = 0;
    if (op->timed) {
        bpor_time_out(thread);
    } else {
        bpor_mark_failed(thread);
        thread->result = EBUSY;
    }
}
