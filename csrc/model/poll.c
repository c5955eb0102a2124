/* poll, select and epoll_wait: enabled iff the kernel says that something is ready. poll and select read the channels they ask
 * for; epoll_wait writes its epoll, from which it takes events. */
#include "model/poll.h"
#include "model/rules.h"
#include "model/timer.h"
#include "reset/guard.h"
#include "runtime/sys.h"

static struct poll_call *call_of(const struct thread *thread)
{
    return (struct poll_call *)(uintptr_t)thread->op.argument;
}

bool poll_enabled(const struct thread *thread)
{
    struct poll_call *call = call_of(thread);
    return !call->waits || call->probe(call, false) != 0 || bpor_timers_next(call) <= thread->now;
}

/* It has a limit of its own, or a timer rings. */
bool poll_may_time_out(const struct thread *thread)
{
    return thread->op.deadline != UINT64_MAX || bpor_timers_next(call_of(thread)) != UINT64_MAX;
}

/* A timer that rings before the limit is something that is ready. */
static bool rings_in_time(struct thread *thread, struct poll_call *call)
{
    struct operation *op = &thread->op;
    uint64_t next = bpor_timers_next(call);
    if (!op->timed || next == UINT64_MAX || next > op->deadline)
        return false;
    op->deadline = next;
    bpor_time_is_up(thread);
    thread->result = 0;
    bpor_timers_ring(call, thread->now);
    call->answer = call->probe(call, true);
    op->value = (uint64_t)call->answer;
    return true;
}

void poll_perform(struct thread *thread)
{
    struct operation *op = &thread->op;
    struct poll_call *call = call_of(thread);
    bpor_timers_ring(call, thread->now);
    call->answer = call->probe(call, true);
    bpor_guard_note_effect(SYS_poll);
    op->value = (uint64_t)call->answer;
    if (call->answer != 0 || rings_in_time(thread, call))
        return;
    for (unsigned i = 0; i < op->accesses; i++)
        op->access[i].write = 0; /* nothing was ready: nothing was taken */
    uint64_t next = bpor_timers_next(call);
    if (!call->waits && next != UINT64_MAX)
        bpor_timer_seen_silent(thread, next);
    bpor_mark_failed(thread);
    if (!op->timed)
        return;
    bpor_time_is_up(thread);
    thread->result = 0;
}
