/* pipe, eventfd, socketpair: made for real, and remembered from the start of the process on (model/channel.c). */
#define _GNU_SOURCE
#include "intercept/file_use.h"
#include "intercept/told.h"
#include "model/channel.h"
#include "runtime/real.h"
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

static int remember(int result, enum channel_kind kind, int type, int flags, const int *descriptors, unsigned count,
                    const void *site)
{
    if (result >= 0 && bpor_tracks_descriptors())
        bpor_channel_made(kind, type, flags, descriptors, count, site);
    return result;
}

INTERCEPT int pipe(int descriptors[2])
{
    bpor_number_given(CALL_SITE);
    bpor_told_fill(descriptors, 2 * sizeof *descriptors, CALL_SITE);
    return remember(REAL(pipe)(descriptors), CHANNEL_PIPE, 0, 0, descriptors, 2, CALL_SITE);
}

INTERCEPT int pipe2(int descriptors[2], int flags)
{
    bpor_number_given(CALL_SITE);
    bpor_told_fill(descriptors, 2 * sizeof *descriptors, CALL_SITE);
    return remember(REAL(pipe2)(descriptors, flags), CHANNEL_PIPE, 0, flags, descriptors, 2, CALL_SITE);
}

INTERCEPT int eventfd(unsigned count, int flags)
{
    bpor_number_given(CALL_SITE);
    int fd = REAL(eventfd)(count, flags);
    return remember(fd, CHANNEL_EVENTFD, 0, flags, &fd, 1, CALL_SITE);
}

INTERCEPT int socketpair(int domain, int type, int protocol, int sockets[2])
{
    bpor_number_given(CALL_SITE);
    bpor_told_fill(sockets, 2 * sizeof *sockets, CALL_SITE);
    return remember(REAL(socketpair)(domain, type, protocol, sockets), CHANNEL_SOCKETS, type, 0, sockets, 2, CALL_SITE);
}
