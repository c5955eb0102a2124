/* Our own descriptors survive a target that closes everything it does not know. */
#define _GNU_SOURCE
#include "runtime/descriptors.h"
#include "runtime/real.h"
#include "runtime/runtime.h"
#include <errno.h>
#include <unistd.h>

static int refuse_descriptor(void)
{
    errno = EBADF;
    return -1;
}

INTERCEPT int close(int fd)
{
    return bpor_descriptor_is_ours(fd) ? refuse_descriptor() : REAL(close)(fd);
}

INTERCEPT int dup2(int from, int to)
{
    return bpor_descriptor_is_ours(to) ? refuse_descriptor() : REAL(dup2)(from, to);
}

INTERCEPT int dup3(int from, int to, int flags)
{
    return bpor_descriptor_is_ours(to) ? refuse_descriptor() : REAL(dup3)(from, to, flags);
}

/* Closes around ours. */
INTERCEPT int close_range(unsigned first, unsigned last, int flags)
{
    if (bpor == NULL || !bpor->attached)
        return REAL(close_range)(first, last, flags);
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
