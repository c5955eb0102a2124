/* A join waits for the end of a thread and takes over its virtual time. It has no footprint, only the happens-before edge. */
#include "model/rules.h"

bool thread_join_enabled(const struct thread *thread)
{
    const struct thread *target = &bpor->thread[thread->op.target];
    return target->state == THREAD_FINISHED || target->left;
}

void thread_join_perform(struct thread *thread)
{
    struct thread *target = &bpor->thread[thread->op.target];
    bool by_handle = thread->op.argument != JOIN_DETACHED_TOO;
    if (by_handle && target->joined)
        bpor_misuse("thread T%u is joined twice", target->id);
    if (by_handle && target->detached)
        bpor_misuse("join of thread T%u, which is detached", target->id);
    target->joined = by_handle;
    if (thread->now < target->now)
        thread->now = target->now;
}

void thread_detach_perform(struct thread *thread)
{
    struct thread *target = &bpor->thread[thread->op.target];
    if (target->joined)
        bpor_misuse("detach of thread T%u, which was joined", target->id);
    if (target->detached) /* POSIX: undefined; libc answers EINVAL as long as the thread has not ended */
        bpor_misuse("thread T%u is detached twice", target->id);
    target->detached = true;
}
