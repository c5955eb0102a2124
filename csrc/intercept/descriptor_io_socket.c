/* Sends and receives: between the two sockets of a pair they are operations; receiving from outside is refused. */
#define _GNU_SOURCE
#include "intercept/descriptor_io.h"
#include "intercept/private_copy.h"
#include "intercept/short_transfer.h"
#include "runtime/real.h"
#include "runtime/sys.h"
#include <errno.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static unsigned transfer_flags(int flags)
{
    return (flags & MSG_NOSIGNAL ? TRANSFER_SILENT : 0) | (flags & MSG_DONTWAIT ? TRANSFER_TRIES : 0);
}

static long receive_once(int fd, char *buffer, size_t count, int flags, struct sockaddr *address, socklen_t *length,
                         const void *site)
{
    struct transfer transfer = {
        .fd = fd, .number = SYS_recvfrom, .argument = {fd, (long)buffer, (long)count, flags, (long)address, (long)length}};
    return bpor_transfer(OP_FD_READ, &transfer, transfer_flags(flags), site);
}

/* MSG_WAITALL waits for the rest piece by piece. */
static long receive(int fd, char *buffer, size_t count, int flags, struct sockaddr *address, socklen_t *length, const void *site)
{
    long total = 0, got;
    if (!(flags & MSG_PEEK) && bpor_short_read(fd, count, site) < count)
        return receive_once(fd, buffer, 1, flags & ~MSG_WAITALL, address, length, site);
    do {
        got = receive_once(fd, buffer + total, count - (size_t)total, flags & ~MSG_WAITALL, address, length, site);
        if (got > 0)
            total += got;
    } while (got > 0 && flags & MSG_WAITALL && !(flags & MSG_PEEK) && (size_t)total < count);
    return total > 0 ? total : got;
}

/* Into memory of the program; nothing is known of the address of a socket of a pair. */
static long told_receive(int fd, void *buffer, size_t count, int flags, struct sockaddr *address, socklen_t *length,
                         const void *site)
{
    struct private_copy copy;
    void *to = bpor_copy_room(&copy, buffer, count, site);
    return bpor_copy_deliver(&copy, buffer, receive(fd, to, count, flags, address, length, site), site);
}

INTERCEPT ssize_t recv(int fd, void *buffer, size_t count, int flags)
{
    return bpor_reads_channel("recv", fd) ? told_receive(fd, buffer, count, flags, NULL, NULL, CALL_SITE)
                                          : REAL(recv)(fd, buffer, count, flags);
}

ssize_t __recv_chk(int fd, void *buffer, size_t count, size_t room, int flags);

INTERCEPT ssize_t __recv_chk(int fd, void *buffer, size_t count, size_t room, int flags)
{
    return count <= room && bpor_reads_channel("recv", fd) ? told_receive(fd, buffer, count, flags, NULL, NULL, CALL_SITE)
                                                           : REAL(__recv_chk)(fd, buffer, count, room, flags);
}

INTERCEPT ssize_t recvfrom(int fd, void *buffer, size_t count, int flags, struct sockaddr *address, socklen_t *length)
{
    return bpor_reads_channel("recvfrom", fd) ? told_receive(fd, buffer, count, flags, address, length, CALL_SITE)
                                              : REAL(recvfrom)(fd, buffer, count, flags, address, length);
}

INTERCEPT ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
    if (!bpor_reads_channel("recvmsg", fd))
        return REAL(recvmsg)(fd, message, flags);
    struct transfer transfer = {.fd = fd, .number = SYS_recvmsg, .argument = {fd, (long)message, flags & ~MSG_WAITALL}};
    bpor_told_fill(message, sizeof *message, CALL_SITE);
    bpor_told_vector_room(message->msg_iov, (int)message->msg_iovlen, CALL_SITE);
    long bytes = bpor_transfer(OP_FD_READ, &transfer, transfer_flags(flags), CALL_SITE);
    bpor_told_vector_written(message->msg_iov, (int)message->msg_iovlen, bytes, CALL_SITE);
    return bytes;
}

static long send_some(int fd, const char *bytes, size_t count, int flags, const struct sockaddr *address, socklen_t length,
                      const void *site)
{
    struct transfer transfer = {
        .fd = fd, .number = SYS_sendto, .argument = {fd, (long)bytes, (long)count, flags | MSG_NOSIGNAL, (long)address, length}};
    return bpor_transfer(OP_FD_WRITE, &transfer, transfer_flags(flags), site);
}

static long send_all(int fd, const char *bytes, size_t count, int flags, const struct sockaddr *address, socklen_t length,
                     const void *site)
{
    bool waits = !(flags & MSG_DONTWAIT) && !bpor_nonblocking(fd);
    struct private_copy copy;
    bytes = bpor_copy_taken(&copy, bytes, count, site);
    count = bpor_short_write(fd, count, site);
    long sent = send_some(fd, bytes, count, flags, address, length, site), total = sent;
    while (waits && sent > 0 && (size_t)total < count) {
        sent = send_some(fd, bytes + total, count - (size_t)total, flags, address, length, site);
        if (sent > 0)
            total += sent;
    }
    return total;
}

INTERCEPT ssize_t send(int fd, const void *bytes, size_t count, int flags)
{
    return bpor_writes_channel(fd) ? send_all(fd, bytes, count, flags, NULL, 0, CALL_SITE) : REAL(send)(fd, bytes, count, flags);
}

INTERCEPT ssize_t sendto(int fd, const void *bytes, size_t count, int flags, const struct sockaddr *address, socklen_t length)
{
    return bpor_writes_channel(fd) ? send_all(fd, bytes, count, flags, address, length, CALL_SITE)
                                   : REAL(sendto)(fd, bytes, count, flags, address, length);
}

INTERCEPT ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
    if (!bpor_writes_channel(fd))
        return REAL(sendmsg)(fd, message, flags);
    struct transfer transfer = {.fd = fd, .number = SYS_sendmsg, .argument = {fd, (long)message, flags | MSG_NOSIGNAL}};
    bpor_told_read(message, sizeof *message, CALL_SITE);
    bpor_told_vector_read(message->msg_iov, (int)message->msg_iovlen, CALL_SITE);
    return bpor_transfer(OP_FD_WRITE, &transfer, transfer_flags(flags), CALL_SITE);
}

#define NO_SERVER "a connection from outside the program cannot be repeated; use a socketpair between its threads"
#define NO_SPLICE "moving data inside the kernel may block half-way; use read and write"

INTERCEPT int accept(int fd, struct sockaddr *address, socklen_t *length)
{
    if (bpor_controlled())
        bpor_refuse("accept", NO_SERVER);
    return REAL(accept)(fd, address, length);
}

INTERCEPT int accept4(int fd, struct sockaddr *address, socklen_t *length, int flags)
{
    if (bpor_controlled())
        bpor_refuse("accept4", NO_SERVER);
    return REAL(accept4)(fd, address, length, flags);
}

static void refuse_channels(const char *call, int from, int to)
{
    if (bpor_controlled() && (bpor_channel_of(from) || bpor_channel_of(to)))
        bpor_refuse(call, NO_SPLICE);
}

INTERCEPT ssize_t splice(int from, off64_t *from_offset, int to, off64_t *to_offset, size_t count, unsigned flags)
{
    refuse_channels("splice", from, to);
    return REAL(splice)(from, from_offset, to, to_offset, count, flags);
}

INTERCEPT ssize_t tee(int from, int to, size_t count, unsigned flags)
{
    refuse_channels("tee", from, to);
    return REAL(tee)(from, to, count, flags);
}

INTERCEPT ssize_t vmsplice(int fd, const struct iovec *vector, size_t count, unsigned flags)
{
    refuse_channels("vmsplice", fd, -1);
    return REAL(vmsplice)(fd, vector, count, flags);
}

INTERCEPT ssize_t sendfile(int to, int from, off_t *offset, size_t count)
{
    refuse_channels("sendfile", from, to);
    return REAL(sendfile)(to, from, offset, count);
}

INTERCEPT int recvmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags, struct timespec *timeout)
{
    if (bpor_reads_channel("recvmmsg", fd))
        bpor_refuse("recvmmsg", "several messages at once cannot be controlled; use recvmsg");
    return REAL(recvmmsg)(fd, messages, count, flags, timeout);
}

INTERCEPT int sendmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags)
{
    if (bpor_writes_channel(fd))
        bpor_refuse("sendmmsg", "several messages at once cannot be controlled; use sendmsg");
    return REAL(sendmmsg)(fd, messages, count, flags);
}
