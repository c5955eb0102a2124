/* Calls that change what a descriptor refers to. Our own descriptors survive a target that closes every descriptor it does not
 * know. Descriptors of channels are tracked, and closing or copying one is a step. */
#define _GNU_SOURCE
#include "intercept/descriptor_io.h"
#include "intercept/file_use.h"
#include "process/descriptors.h"
#include "runtime/real.h"
#include "runtime/runtime.h"
#include "runtime/sys.h"
#include <errno.h>
#include <unistd.h>

static int refuse_descriptor(void)
{
    errno = EBADF;
    return -1;
}

static int close_step(int fd, const void *site)
{
    struct transfer transfer = {.fd = fd, .number = SYS_close, .argument = {fd}};
    return (int)bpor_descriptor_step(OP_FD_CLOSE, NULL, true, &transfer, site);
}

INTERCEPT int close(int fd)
{
    if (bpor_descriptor_is_ours(fd))
        return refuse_descriptor();
    if (bpor_writes_channel(fd))
        return close_step(fd, CALL_SITE);
    bpor_descriptor_given_up(fd, CALL_SITE);
    int result = REAL(close)(fd);
    if (result == 0 && bpor_tracks_descriptors())
        bpor_descriptor_closed(fd);
    if (result != 0 && fd >= 0 && errno == EBADF)
        bpor_number_was_free();
    return result;
}

static int copied(int from, int to)
{
    if (to >= 0 && bpor_tracks_descriptors())
        bpor_descriptor_copied(from, to);
    return to;
}

/* A copy keeps an end open, and one put over another channel's last descriptor closes that. */
static int copy_step(int from, long number, long second, long third, struct channel *replaced, const void *site)
{
    struct transfer transfer = {.fd = from, .number = number, .argument = {from, second, third}};
    return copied(from, (int)bpor_descriptor_step(OP_FD_COPY, replaced, false, &transfer, site));
}

static bool concerns_channels(int from, int to)
{
    return bpor_controlled() && (bpor_channel_of(from) || bpor_channel_of(to));
}

INTERCEPT int dup(int from)
{
    if (bpor_writes_channel(from))
        return copy_step(from, SYS_dup, 0, 0, NULL, CALL_SITE);
    bpor_number_given(CALL_SITE);
    return copied(from, REAL(dup)(from));
}

INTERCEPT int dup2(int from, int to)
{
    if (bpor_descriptor_is_ours(to))
        return refuse_descriptor();
    if (concerns_channels(from, to) && from != to)
        return copy_step(from, SYS_dup2, to, 0, bpor_channel_of(to), CALL_SITE);
    if (from != to)
        bpor_descriptor_redirected(to, CALL_SITE);
    int result = REAL(dup2)(from, to);
    return from == to ? result : copied(from, result);
}

INTERCEPT int dup3(int from, int to, int flags)
{
    if (bpor_descriptor_is_ours(to))
        return refuse_descriptor();
    if (concerns_channels(from, to))
        return copy_step(from, SYS_dup3, to, flags, bpor_channel_of(to), CALL_SITE);
    bpor_descriptor_redirected(to, CALL_SITE);
    return copied(from, REAL(dup3)(from, to, flags));
}

static void close_channels(unsigned first, unsigned last)
{
    for (unsigned fd = first; bpor_tracks_descriptors() && fd <= last && fd < MAX_DESCRIPTORS; fd++)
        if (bpor_channel_of((int)fd))
            close((int)fd);
}

/* Closes around ours; channels one by one, each a step. */
INTERCEPT int close_range(unsigned first, unsigned last, int flags)
{
    if (bpor == NULL || !bpor->attached)
        return REAL(close_range)(first, last, flags);
    if (flags == 0) {
        close_channels(first, last);
        bpor_number_given(CALL_SITE); /* as many as were taken are free now */
    }
    unsigned low = (unsigned)(bpor->plan_fd < bpor->event_fd ? bpor->plan_fd : bpor->event_fd);
    unsigned high = (unsigned)(bpor->plan_fd < bpor->event_fd ? bpor->event_fd : bpor->plan_fd);
    int result = 0;
    if (first < low)
        result |= REAL(close_range)(first, last < low ? last : low - 1, flags);
    if (low + 1 < high && first < high && last > low)
        result |= REAL(close_range)(first > low ? first : low + 1, last < high ? last : high - 1, flags);
    if (last > high)
        result |= REAL(close_range)(first > high ? first : high + 1, last, flags);
    return result;
}

INTERCEPT void closefrom(int first)
{
    close_range((unsigned)(first < 0 ? 0 : first), ~0u, 0);
}
