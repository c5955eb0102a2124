/* Where a transfer may be short: files, pipes and stream sockets. A datagram would lose its rest, an eventfd has eight bytes or
 * none, and a pipe takes up to PIPE_BUF bytes in one piece. */
#define _GNU_SOURCE
#include "intercept/short_transfer.h"
#include "model/channel.h"
#include "runtime/injection.h"
#include "runtime/sys.h"
#include <limits.h>
#include <sys/socket.h>
#include <sys/stat.h>

enum { SOCKET_TYPES = 0xf /* without SOCK_NONBLOCK and the like */ };

static bool is_regular(int fd)
{
    struct stat facts;
    return sys_call3(SYS_fstat, fd, &facts, 0) == 0 && S_ISREG(facts.st_mode);
}

static bool may_be_short(bool reads, int fd, size_t count)
{
    if (count < 2 || !bpor_controlled() || !bpor->shared->config.faults[BPOR_FAULT_SHORT])
        return false;
    const struct channel *channel = bpor_channel_of(fd);
    if (channel == NULL)
        return is_regular(fd);
    if (channel->kind == CHANNEL_SOCKETS)
        return (channel->type & SOCKET_TYPES) == SOCK_STREAM;
    return channel->kind == CHANNEL_PIPE && (reads || count > PIPE_BUF);
}

static bool is_short(bool reads, int fd, size_t count, const void *site)
{
    return may_be_short(reads, fd, count) &&
           bpor_injects(BPOR_FAULT_SHORT, reads ? BPOR_CALL_SHORT_READ : BPOR_CALL_SHORT_WRITE, site);
}

size_t bpor_short_read(int fd, size_t count, const void *site)
{
    return is_short(true, fd, count, site) ? 1 : count;
}

size_t bpor_short_write(int fd, size_t count, const void *site)
{
    return is_short(false, fd, count, site) ? 1 : count;
}

bool bpor_short_vector(bool reads, int fd, const struct iovec *vector, int count, void **first, const void *site)
{
    size_t total = 0;
    *first = NULL;
    for (int i = 0; i < count; i++) {
        if (*first == NULL && vector[i].iov_len)
            *first = vector[i].iov_base;
        total += vector[i].iov_len;
    }
    return is_short(reads, fd, total, site);
}
