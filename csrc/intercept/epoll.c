/* epoll: the kernel keeps the interest list and the ready list; we keep who watches which channel (model/epoll.c). */
#define _GNU_SOURCE
#include "intercept/descriptor_io.h"
#include "intercept/file_use.h"
#include "intercept/poll.h"
#include "intercept/signal.h"
#include "intercept/told.h"
#include "process/imports.h"
#include "runtime/injection.h"
#include "runtime/real.h"
#include "runtime/sys.h"
#include <errno.h>
#include <poll.h>
#include <sys/epoll.h>
#include <time.h>

enum { MILLISECOND = 1000000 };

static int remember(int fd, const void *site)
{
    if (fd >= 0 && bpor_tracks_descriptors())
        bpor_channel_made(CHANNEL_EPOLL, 0, 0, &fd, 1, site);
    return fd;
}

INTERCEPT int epoll_create(int size)
{
    bpor_number_given(CALL_SITE);
    return remember(REAL(epoll_create)(size), CALL_SITE);
}

INTERCEPT int epoll_create1(int flags)
{
    bpor_number_given(CALL_SITE);
    return remember(REAL(epoll_create1)(flags), CALL_SITE);
}

static int control_step(struct channel *epoll, int epoll_fd, int operation, int fd, struct epoll_event *event, const void *site)
{
    struct channel *watched = bpor_channel_of(fd);
    struct transfer transfer = {.fd = epoll_fd, .number = SYS_epoll_ctl, .argument = {epoll_fd, operation, fd, (long)event}};
    if (operation == EPOLL_CTL_ADD && bpor_descriptor_nature(fd) == DESCRIPTOR_OUTSIDE)
        bpor_refuse("epoll_ctl", "what comes from outside the program cannot be repeated; watch a pipe between its threads");
    struct operation *op = bpor_operation(OP_FD_CONTROL, site);
    bpor_channel_touch(op, epoll, true);
    if (watched)
        bpor_channel_touch(op, watched, false);
    op->argument = (int64_t)(uintptr_t)&transfer;
    bpor_step();
    if (transfer.answer < 0) {
        errno = (int)-transfer.answer;
        return -1;
    }
    if (operation == EPOLL_CTL_ADD && watched)
        bpor_epoll_watch(epoll, watched, fd);
    else if (operation == EPOLL_CTL_DEL)
        bpor_epoll_unwatch(epoll, fd);
    return 0;
}

INTERCEPT int epoll_ctl(int epoll_fd, int operation, int fd, struct epoll_event *event)
{
    struct channel *epoll = bpor_controlled() ? bpor_channel_of(epoll_fd) : NULL;
    return epoll ? control_step(epoll, epoll_fd, operation, fd, event, CALL_SITE)
                 : REAL(epoll_ctl)(epoll_fd, operation, fd, event);
}

static long probe(struct poll_call *call, bool keep)
{
    if (keep)
        return sys_call6(SYS_epoll_pwait, call->fd, (long)call->set, (long)call->count, 0, 0, 0);
    struct pollfd one = {.fd = call->fd, .events = POLLIN};
    return sys_call3(SYS_poll, &one, 1, 0);
}

static void each(const struct poll_call *call, void (*visit)(struct channel *channel, int fd, void *data), void *data)
{
    bpor_epoll_each_watched(bpor_channel_of(call->fd), visit, data);
}

static int wait_step(struct channel *epoll, int fd, struct epoll_event *events, int count, const uint64_t *timeout,
                     const void *site)
{
    struct poll_call call = {
        .each = each, .probe = probe, .set = events, .count = (unsigned)count, .fd = fd, .may_ring = bpor_imports_timers()};
    if (count <= 0) {
        errno = EINVAL;
        return -1;
    }
    bpor_told_room(events, (size_t)count * sizeof *events, site);
    if ((timeout == NULL || *timeout > 0) && bpor_interrupted(BPOR_CALL_POLL, site))
        return -1;
    struct operation *op = bpor_operation(OP_FD_POLL, site);
    bpor_channel_touch(op, epoll, true);
    int ready = (int)bpor_poll_wait(&call, op, timeout);
    bpor_told_write(events, ready * (ssize_t)sizeof *events, site);
    return ready;
}

static int wait_for(struct channel *epoll, int fd, struct epoll_event *events, int count, int milliseconds, const void *site)
{
    uint64_t timeout = milliseconds < 0 ? 0 : (uint64_t)milliseconds * MILLISECOND;
    return wait_step(epoll, fd, events, count, milliseconds < 0 ? NULL : &timeout, site);
}

static struct channel *controlled_epoll(int fd)
{
    struct channel *channel = bpor_controlled() ? bpor_channel_of(fd) : NULL;
    return channel && channel->kind == CHANNEL_EPOLL ? channel : NULL;
}

INTERCEPT int epoll_wait(int fd, struct epoll_event *events, int count, int milliseconds)
{
    struct channel *epoll = controlled_epoll(fd);
    return epoll ? wait_for(epoll, fd, events, count, milliseconds, CALL_SITE)
                 : REAL(epoll_wait)(fd, events, count, milliseconds);
}

INTERCEPT int epoll_pwait(int fd, struct epoll_event *events, int count, int milliseconds, const sigset_t *mask)
{
    struct channel *epoll = controlled_epoll(fd);
    if (epoll == NULL)
        return REAL(epoll_pwait)(fd, events, count, milliseconds, mask);
    bpor_signals_let_in(mask, "epoll_pwait");
    return (int)bpor_signals_kept_out(wait_for(epoll, fd, events, count, milliseconds, CALL_SITE));
}

INTERCEPT int epoll_pwait2(int fd, struct epoll_event *events, int count, const struct timespec *interval, const sigset_t *mask)
{
    struct channel *epoll = controlled_epoll(fd);
    if (epoll == NULL)
        return REAL(epoll_pwait2)(fd, events, count, interval, mask);
    bpor_told_read(interval, interval ? sizeof *interval : 0, CALL_SITE);
    uint64_t timeout = interval ? (uint64_t)interval->tv_sec * NANOSECONDS + (uint64_t)interval->tv_nsec : 0;
    bpor_signals_let_in(mask, "epoll_pwait2");
    return (int)bpor_signals_kept_out(wait_step(epoll, fd, events, count, interval ? &timeout : NULL, CALL_SITE));
}
