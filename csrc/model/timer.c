/* Timers that are descriptors, in virtual time. To the kernel such a timer is an eventfd, which counts how often it has rung.
 * Nothing rings by itself: a thread that reads the timer, or waits for it, lets it ring once its own clock is there, or, where
 * nobody else can go on, when its wait ends by that time as one ends by a timeout. */
#include "model/timer.h"
#include "reset/guard.h"
#include "runtime/sys.h"

void bpor_timer_ring(struct channel *timer, int fd, uint64_t now)
{
    if (timer->rings_at == NEVER_RINGS || timer->rings_at > now)
        return;
    uint64_t times = timer->interval ? 1 + (now - timer->rings_at) / timer->interval : 1;
    const long argument[6] = {fd, (long)&times, sizeof times};
    timer->rings_at = timer->interval ? timer->rings_at + times * timer->interval : NEVER_RINGS;
    bpor_guard_call_channel(SYS_write, argument);
    bpor_guard_note_effect(SYS_write);
}

void bpor_timer_seen_silent(struct thread *thread, uint64_t rings_at)
{
    enum { SHORT = 1000 };
    uint64_t left = rings_at - thread->now;
    bpor_time_is_read();
    bpor_time_pass(thread, left > SHORT ? left / 2 : left);
}

static bool is_set(const struct channel *channel)
{
    return channel->kind == CHANNEL_TIMER && channel->rings_at != NEVER_RINGS;
}

static void find_next(struct channel *channel, int fd, void *next)
{
    (void)fd;
    if (is_set(channel) && channel->rings_at < *(uint64_t *)next)
        *(uint64_t *)next = channel->rings_at;
}

uint64_t bpor_timers_next(const struct poll_call *call)
{
    uint64_t next = UINT64_MAX;
    if (call->may_ring)
        call->each(call, find_next, &next);
    return next;
}

static void ring(struct channel *channel, int fd, void *now)
{
    if (is_set(channel))
        bpor_timer_ring(channel, fd, *(const uint64_t *)now);
}

void bpor_timers_ring(const struct poll_call *call, uint64_t now)
{
    if (call->may_ring)
        call->each(call, ring, &now);
}
