/* poll and select, in virtual time. Without a channel among the descriptors a finite wait is a sleep. A signal that the mask of
 * ppoll or pselect lets in is refused (signal.c). */
#define _GNU_SOURCE
#include "intercept/poll.h"
#include "intercept/signal.h"
#include "intercept/told.h"
#include "process/imports.h"
#include "reset/guard.h"
#include "runtime/injection.h"
#include "runtime/real.h"
#include "runtime/sys.h"
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <time.h>

enum { MILLISECOND = 1000000, MICROSECOND = 1000 };

static long libc_answer(long answer)
{
    if (answer >= 0)
        return answer;
    errno = (int)-answer;
    return -1;
}

static bool waits(const uint64_t *timeout)
{
    return timeout == NULL || *timeout > 0;
}

static bool touch(struct poll_call *call, struct operation *op, const char *name, int fd)
{
    struct channel *channel;
    switch (bpor_descriptor_nature(fd)) {
    case DESCRIPTOR_CHANNEL:
        channel = bpor_channel_of(fd);
        call->may_ring |= channel->kind == CHANNEL_TIMER || (channel->kind == CHANNEL_EPOLL && bpor_imports_timers());
        bpor_channel_touch(op, channel, channel->kind == CHANNEL_TIMER);
        return true;
    case DESCRIPTOR_OUTSIDE:
        bpor_refuse(name, "what comes from outside the program cannot be repeated; wait for a pipe between its threads");
    default:
        return false;
    }
}

long bpor_poll_wait(struct poll_call *call, struct operation *op, const uint64_t *timeout)
{
    call->waits = waits(timeout);
    op->argument = (int64_t)(uintptr_t)call;
    op->timed = call->waits && (timeout || call->may_ring);
    op->deadline = timeout ? bpor_time_in(*timeout) : UINT64_MAX;
    bpor_step();
    return libc_answer(call->answer);
}

static long sleep_instead(uint64_t nanoseconds, const void *site)
{
    bpor_operation(OP_SLEEP, site)->argument = (int64_t)nanoseconds;
    bpor_step();
    return 0;
}

/* Nothing that a thread of the target can change: what is ready now is ready for ever. */
static long without_channels(struct poll_call *call, struct operation *op, const uint64_t *timeout, const void *site)
{
    if (call->probe(call, false) == 0 && timeout == NULL)
        return bpor_poll_wait(call, op, NULL);
    long answer = call->probe(call, true);
    bpor_guard_note_effect(SYS_poll);
    return answer == 0 && *timeout > 0 ? sleep_instead(*timeout, site) : libc_answer(answer);
}

/* ---- poll ---- */

static long probe_poll(struct poll_call *call, bool keep)
{
    struct pollfd *set = call->set;
    long ready = sys_call3(SYS_poll, set, call->count, 0);
    for (unsigned i = 0; !keep && i < call->count; i++)
        set[i].revents = 0;
    return ready;
}

static void visit_channel(int fd, void (*visit)(struct channel *channel, int fd, void *data), void *data)
{
    struct channel *channel = bpor_channel_of(fd);
    if (channel)
        visit(channel, fd, data);
    if (channel && channel->kind == CHANNEL_EPOLL)
        bpor_epoll_each_watched(channel, visit, data);
}

static void each_of_poll(const struct poll_call *call, void (*visit)(struct channel *channel, int fd, void *data), void *data)
{
    const struct pollfd *set = call->set;
    for (unsigned i = 0; i < call->count; i++)
        visit_channel(set[i].fd, visit, data);
}

static long poll_step(struct pollfd *set, nfds_t count, const uint64_t *timeout, const void *site)
{
    struct poll_call call = {.each = each_of_poll, .probe = probe_poll, .set = set, .count = (unsigned)count};
    bpor_told_fill(set, count * sizeof *set, site);
    if (waits(timeout) && bpor_interrupted(BPOR_CALL_POLL, site))
        return -1;
    struct operation *op = bpor_operation(OP_FD_POLL, site);
    bool channels = false;
    for (nfds_t i = 0; i < count; i++)
        if (set[i].fd >= 0)
            channels |= touch(&call, op, "poll", set[i].fd);
    return channels ? bpor_poll_wait(&call, op, timeout) : without_channels(&call, op, timeout, site);
}

static long poll_for(struct pollfd *set, nfds_t count, int milliseconds, const void *site)
{
    uint64_t timeout = milliseconds < 0 ? 0 : (uint64_t)milliseconds * MILLISECOND;
    return poll_step(set, count, milliseconds < 0 ? NULL : &timeout, site);
}

static long poll_until(struct pollfd *set, nfds_t count, const struct timespec *interval, const void *site)
{
    if (interval == NULL)
        return poll_step(set, count, NULL, site);
    bpor_told_read(interval, sizeof *interval, site);
    if (interval->tv_sec < 0 || interval->tv_nsec < 0 || interval->tv_nsec >= NANOSECONDS)
        return libc_answer(-EINVAL);
    uint64_t timeout = bpor_nanoseconds((uint64_t)interval->tv_sec, (uint64_t)interval->tv_nsec);
    return poll_step(set, count, &timeout, site);
}

INTERCEPT int poll(struct pollfd *set, nfds_t count, int milliseconds)
{
    return bpor_controlled() ? (int)poll_for(set, count, milliseconds, CALL_SITE) : REAL(poll)(set, count, milliseconds);
}

int __poll_chk(struct pollfd *set, nfds_t count, int milliseconds, size_t room);

INTERCEPT int __poll_chk(struct pollfd *set, nfds_t count, int milliseconds, size_t room)
{
    if (!bpor_controlled() || room / sizeof *set < count)
        return REAL(__poll_chk)(set, count, milliseconds, room);
    return (int)poll_for(set, count, milliseconds, CALL_SITE);
}

INTERCEPT int ppoll(struct pollfd *set, nfds_t count, const struct timespec *interval, const sigset_t *mask)
{
    if (!bpor_controlled())
        return REAL(ppoll)(set, count, interval, mask);
    bpor_signals_let_in(mask, "ppoll");
    return (int)bpor_signals_kept_out(poll_until(set, count, interval, CALL_SITE));
}

int __ppoll_chk(struct pollfd *set, nfds_t count, const struct timespec *interval, const sigset_t *mask, size_t room);

INTERCEPT int __ppoll_chk(struct pollfd *set, nfds_t count, const struct timespec *interval, const sigset_t *mask, size_t room)
{
    if (!bpor_controlled() || room / sizeof *set < count)
        return REAL(__ppoll_chk)(set, count, interval, mask, room);
    bpor_signals_let_in(mask, "ppoll");
    return (int)bpor_signals_kept_out(poll_until(set, count, interval, CALL_SITE));
}

/* ---- select ---- */

static void *copy_set(fd_set *copy, const void *set)
{
    if (set == NULL)
        return NULL;
    memcpy(copy, set, sizeof *copy);
    return copy;
}

static long probe_select(struct poll_call *call, bool keep)
{
    fd_set copy[3];
    struct timespec none = {0, 0};
    if (keep)
        return sys_call6(SYS_pselect6, (long)call->count, (long)call->set, (long)call->second_set, (long)call->third_set,
                         (long)&none, 0);
    return sys_call6(SYS_pselect6, (long)call->count, (long)copy_set(&copy[0], call->set),
                     (long)copy_set(&copy[1], call->second_set), (long)copy_set(&copy[2], call->third_set), (long)&none, 0);
}

static bool in_set(int fd, const fd_set *set)
{
    return set != NULL && FD_ISSET(fd, set);
}

static void each_of_select(const struct poll_call *call, void (*visit)(struct channel *channel, int fd, void *data), void *data)
{
    for (int fd = 0; fd < (int)call->count; fd++)
        if (in_set(fd, call->set) || in_set(fd, call->second_set) || in_set(fd, call->third_set))
            visit_channel(fd, visit, data);
}

static long select_step(int count, fd_set *in, fd_set *out, fd_set *except, const uint64_t *timeout, const void *site)
{
    struct poll_call call = {.each = each_of_select,
                             .probe = probe_select,
                             .set = in,
                             .second_set = out,
                             .third_set = except,
                             .count = (unsigned)count};
    if (count < 0 || count > FD_SETSIZE)
        return libc_answer(-EINVAL);
    size_t bytes = ((size_t)count + NFDBITS - 1) / NFDBITS * sizeof(fd_mask);
    bpor_told_fill(in, bytes, site);
    bpor_told_fill(out, bytes, site);
    bpor_told_fill(except, bytes, site);
    if (waits(timeout) && bpor_interrupted(BPOR_CALL_POLL, site))
        return -1;
    struct operation *op = bpor_operation(OP_FD_POLL, site);
    bool channels = false;
    for (int fd = 0; fd < count; fd++)
        if (in_set(fd, in) || in_set(fd, out) || in_set(fd, except))
            channels |= touch(&call, op, "select", fd);
    return channels ? bpor_poll_wait(&call, op, timeout) : without_channels(&call, op, timeout, site);
}

INTERCEPT int select(int count, fd_set *in, fd_set *out, fd_set *except, struct timeval *interval)
{
    if (!bpor_controlled())
        return REAL(select)(count, in, out, except, interval);
    if (interval == NULL)
        return (int)select_step(count, in, out, except, NULL, CALL_SITE);
    bpor_told_read(interval, sizeof *interval, CALL_SITE);
    if (interval->tv_sec < 0 || interval->tv_usec < 0)
        return (int)libc_answer(-EINVAL);
    uint64_t timeout = bpor_nanoseconds((uint64_t)interval->tv_sec, (uint64_t)interval->tv_usec * MICROSECOND);
    uint64_t before = bpor_now();
    int ready = (int)select_step(count, in, out, except, &timeout, CALL_SITE);
    uint64_t passed = bpor_now() - before, left = passed < timeout ? timeout - passed : 0;
    struct timeval rest = {.tv_sec = (time_t)(left / NANOSECONDS), .tv_usec = (suseconds_t)(left % NANOSECONDS / MICROSECOND)};
    bpor_told_store(interval, &rest, sizeof rest, CALL_SITE); /* Linux tells what is left */
    return ready;
}

static long select_until(int count, fd_set *in, fd_set *out, fd_set *except, const struct timespec *interval, const void *site)
{
    if (interval == NULL)
        return select_step(count, in, out, except, NULL, site);
    bpor_told_read(interval, sizeof *interval, site);
    if (interval->tv_sec < 0 || interval->tv_nsec < 0 || interval->tv_nsec >= NANOSECONDS)
        return libc_answer(-EINVAL);
    uint64_t timeout = bpor_nanoseconds((uint64_t)interval->tv_sec, (uint64_t)interval->tv_nsec);
    return select_step(count, in, out, except, &timeout, site);
}

INTERCEPT int pselect(int count, fd_set *in, fd_set *out, fd_set *except, const struct timespec *interval, const sigset_t *mask)
{
    if (!bpor_controlled())
        return REAL(pselect)(count, in, out, except, interval, mask);
    bpor_signals_let_in(mask, "pselect");
    return (int)bpor_signals_kept_out(select_until(count, in, out, except, interval, CALL_SITE));
}
