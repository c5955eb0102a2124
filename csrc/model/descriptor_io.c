/* Reads and writes of channels, and the calls that change where a descriptor leads. Enabled iff the kernel says that the call
 * would not block; every call writes the one object that both ends are. A try that found nothing to do only read it. */
#define _GNU_SOURCE
#include "model/descriptor_io.h"
#include "model/rules.h"
#include "model/timer.h"
#include "reset/guard.h"
#include "runtime/sys.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>

static struct transfer *transfer_of(const struct thread *thread)
{
    return (struct transfer *)(uintptr_t)thread->op.argument;
}

static short ready(int fd, short events)
{
    struct pollfd one = {.fd = fd, .events = events};
    return sys_call3(SYS_poll, &one, 1, 0) > 0 ? one.revents : 0;
}

bool descriptor_io_enabled(const struct thread *thread)
{
    const struct transfer *transfer = transfer_of(thread);
    const struct channel *channel = bpor_channel_of(transfer->fd);
    if (transfer->tries || channel == NULL || channel->outside)
        return true;
    if (channel->kind == CHANNEL_TIMER && channel->rings_at != NEVER_RINGS && channel->rings_at <= thread->now)
        return true;
    if (transfer->needs_empty)
        return !(ready(transfer->fd, POLLIN) & POLLIN);
    return ready(transfer->fd, transfer->events) != 0 || bpor_nonblocking(transfer->fd); /* by now */
}

/* Only of a timer that is set. */
bool descriptor_io_may_time_out(const struct thread *thread)
{
    const struct channel *channel = bpor_channel_of(transfer_of(thread)->fd);
    return channel && channel->kind == CHANNEL_TIMER && channel->rings_at != NEVER_RINGS;
}

/* It is read when it rings, though the thread's clock is not there yet. */
static void let_ring(struct thread *thread, struct channel *timer, int fd)
{
    bpor_timer_ring(timer, fd, thread->now);
    if (!thread->op.timed || ready(fd, POLLIN) || timer->rings_at == NEVER_RINGS)
        return;
    thread->op.deadline = timer->rings_at;
    bpor_time_is_up(thread);
    thread->result = 0;
    bpor_timer_ring(timer, fd, thread->now);
}

static long call(const struct transfer *transfer)
{
    return bpor_guard_call_channel(transfer->number, transfer->argument);
}

/* A write larger than the room there is would block half-way: never ask so that it may. */
static long call_without_waiting(const struct transfer *transfer)
{
    long flags = sys_call3(SYS_fcntl, transfer->fd, F_GETFL, 0);
    if (flags < 0 || flags & O_NONBLOCK)
        return call(transfer);
    sys_call3(SYS_fcntl, transfer->fd, F_SETFL, flags | O_NONBLOCK);
    long answer = call(transfer);
    sys_call3(SYS_fcntl, transfer->fd, F_SETFL, flags);
    return answer;
}

/* The kernel would send SIGPIPE to a carrier of ours; the interceptor sends it to the program. */
static bool nobody_reads(const struct transfer *transfer, const struct channel *channel)
{
    return transfer->events == POLLOUT && channel->kind == CHANNEL_PIPE && ready(transfer->fd, POLLOUT) & POLLERR;
}

static void only_looked(struct thread *thread)
{
    thread->op.accesses = 1;
    thread->op.access[0].write = 0;
    bpor_mark_failed(thread);
}

void descriptor_io_perform(struct thread *thread)
{
    struct transfer *transfer = transfer_of(thread);
    struct channel *channel = bpor_channel_of(transfer->fd);
    if (channel && channel->kind == CHANNEL_TIMER)
        let_ring(thread, channel, transfer->fd);
    if (channel == NULL)
        transfer->answer = -EBADF; /* closed in the meantime */
    else if (nobody_reads(transfer, channel))
        transfer->answer = -EPIPE;
    else
        transfer->answer = channel->outside ? call(transfer) : call_without_waiting(transfer);
    thread->op.value = (uint64_t)transfer->answer;
    if (transfer->answer != -EAGAIN || channel->outside)
        bpor_guard_note_effect(transfer->number);
    if (transfer->answer == -EAGAIN && channel && channel->kind == CHANNEL_TIMER && channel->rings_at != NEVER_RINGS)
        bpor_timer_seen_silent(thread, channel->rings_at);
    if (transfer->answer == -EAGAIN) {
        transfer->tries |= bpor_nonblocking(transfer->fd);
        only_looked(thread);
    } else if (channel)
        bpor_channel_touch_watchers(&thread->op, channel);
}

/* Close, dup and fcntl: always possible. */
void descriptor_call_perform(struct thread *thread)
{
    struct transfer *transfer = transfer_of(thread);
    struct channel *channel = bpor_channel_of(transfer->fd);
    transfer->answer = call(transfer);
    bpor_guard_note_effect(transfer->number);
    if (channel)
        bpor_channel_touch_watchers(&thread->op, channel);
    if (transfer->answer >= 0 && transfer->number == SYS_close)
        bpor_descriptor_closed(transfer->fd);
    thread->op.value = (uint64_t)transfer->answer;
}
