/* Join waits for the end of a thread and takes over its time; it carries no footprint, only the happens-before edge. */
#include "model/rules.h"

bool thread_join_enabled(const struct thread *thread)
{
    return bpor->thread[thread->op.target].state == THREAD_FINISHED;
}

void thread_join_perform(struct thread *thread)
{
    struct thread *target = &bpor->thread[thread->op.target];
    if (target->joined)
        bpor_misuse("thread T%u is joined twice", target->id);
    if (target->detached)
        bpor_misuse("join of thread T%u, which is detached", target->id);
    target->joined = true;
    if (thread->now < target->now)
        thread->now = target->now;
}

void thread_detach_perform(struct thread *thread)
{
    bpor->thread[thread->op.target].detached = true;
}
