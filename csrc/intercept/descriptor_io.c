/* read, write and their vectors. On a channel they are operations (model/descriptor_io.c); files pass through; the system's
 * random source gives the thread's own random stream; what comes from outside is refused at the call. */
#define _GNU_SOURCE
#include "intercept/descriptor_io.h"
#include "carrier/masks.h"
#include "intercept/file_use.h"
#include "intercept/mapped_file.h"
#include "intercept/private_copy.h"
#include "intercept/random.h"
#include "intercept/short_transfer.h"
#include "intercept/told.h"
#include "runtime/injection.h"
#include "runtime/real.h"
#include "runtime/sys.h"
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static long libc_answer(long answer)
{
    if (answer >= 0)
        return answer;
    errno = (int)-answer;
    return -1;
}

bool bpor_reads_channel(const char *call, int fd)
{
    if (!bpor_controlled())
        return false;
    enum descriptor_nature nature = bpor_descriptor_nature(fd);
    if (nature == DESCRIPTOR_OUTSIDE)
        bpor_refuse(call, "what comes from outside the program cannot be repeated; use a file, or a pipe between its threads");
    return nature == DESCRIPTOR_CHANNEL;
}

bool bpor_writes_channel(int fd)
{
    return bpor_controlled() && bpor_channel_of(fd) != NULL;
}

/* As the kernel would have done to the thread that wrote. */
static void broken_pipe(void)
{
    struct sigaction action;
    sigset_t blocked;
    REAL(sigaction)(SIGPIPE, NULL, &action);
    REAL(pthread_sigmask)(SIG_BLOCK, NULL, &blocked);
    if (action.sa_handler == SIG_DFL && !sigismember(&blocked, SIGPIPE))
        bpor_end_with_stack(BPOR_OUTCOME_CRASH, SIGPIPE, "SIGPIPE: nobody reads what is written");
    bpor_mask_send(SIGPIPE);
}

static void transfer_step(enum operation_kind kind, struct transfer *transfer, const void *site)
{
    struct channel *channel = bpor_channel_of(transfer->fd);
    struct operation *op = bpor_operation(kind, site);
    if (channel)
        bpor_channel_touch(op, channel, true);
    op->argument = (int64_t)(uintptr_t)transfer;
    if (channel && channel->kind == CHANNEL_TIMER && !transfer->tries) {
        op->timed = true;
        op->deadline = UINT64_MAX; /* until it rings */
    }
    bpor_step();
}

static enum bpor_fault_call call_of(enum operation_kind kind, long number)
{
    bool plain = number == SYS_read || number == SYS_readv || number == SYS_write || number == SYS_writev;
    if (kind == OP_FD_READ)
        return plain ? BPOR_CALL_READ : BPOR_CALL_RECV;
    return plain ? BPOR_CALL_WRITE : BPOR_CALL_SEND;
}

long bpor_transfer(enum operation_kind kind, struct transfer *transfer, unsigned flags, const void *site)
{
    transfer->events = kind == OP_FD_READ ? POLLIN : POLLOUT;
    transfer->tries = flags & TRANSFER_TRIES || bpor_nonblocking(transfer->fd);
    if (!transfer->tries && bpor_interrupted(call_of(kind, transfer->number), site))
        return -1;
    do {
        transfer_step(kind, transfer, site);
        const struct channel *channel = bpor_channel_of(transfer->fd);
        transfer->needs_empty = transfer->answer == -EAGAIN && channel && channel->kind == CHANNEL_EVENTFD && kind == OP_FD_WRITE;
    } while (transfer->answer == -EAGAIN && !transfer->tries);
    if (transfer->answer == -EPIPE && kind == OP_FD_WRITE && !(flags & TRANSFER_SILENT))
        broken_pipe();
    return libc_answer(transfer->answer);
}

long bpor_descriptor_step(enum operation_kind kind, struct channel *second, bool write, struct transfer *transfer,
                          const void *site)
{
    struct channel *channel = bpor_channel_of(transfer->fd);
    struct operation *op = bpor_operation(kind, site);
    if (channel)
        bpor_channel_touch(op, channel, write);
    if (second)
        bpor_channel_touch(op, second, true);
    if (kind == OP_FD_CLOSE || kind == OP_FD_COPY)
        bpor_numbers_touch(op);
    op->argument = (int64_t)(uintptr_t)transfer;
    bpor_step();
    return libc_answer(transfer->answer);
}

static long read_step(int fd, void *buffer, size_t count, const void *site)
{
    struct transfer transfer = {.fd = fd, .number = SYS_read, .argument = {fd, (long)buffer, (long)count}};
    return bpor_transfer(OP_FD_READ, &transfer, 0, site);
}

static long write_some(int fd, const char *bytes, size_t count, const void *site)
{
    struct transfer transfer = {.fd = fd, .number = SYS_write, .argument = {fd, (long)bytes, (long)count}};
    const struct channel *channel = bpor_channel_of(fd);
    if (channel && channel->kind == CHANNEL_SOCKETS) {
        transfer.number = SYS_sendto; /* a write that can be told not to raise SIGPIPE */
        transfer.argument[3] = MSG_NOSIGNAL;
    }
    return bpor_transfer(OP_FD_WRITE, &transfer, 0, site);
}

long bpor_write_all(int fd, const char *bytes, size_t count, const void *site)
{
    bool waits = !bpor_nonblocking(fd);
    long written = write_some(fd, bytes, count, site);
    long total = written;
    while (waits && written > 0 && (size_t)total < count) {
        written = write_some(fd, bytes + total, count - (size_t)total, site);
        if (written > 0)
            total += written;
    }
    return total;
}

static long read_by_nature(const char *call, int fd, void *buffer, size_t count, const void *site)
{
    if (bpor_reads_channel(call, fd))
        return read_step(fd, buffer, count, site);
    if (bpor_controlled() && bpor_descriptor_nature(fd) == DESCRIPTOR_RANDOM) {
        bpor_random_fill(buffer, count);
        return (long)count;
    }
    bpor_file_use(fd, LOOKS | MOVES, site);
    bpor_mapped_file_use(fd, HERE, count, LOOKS, site);
    return REAL(read)(fd, buffer, count);
}

static long told_read(int fd, void *buffer, size_t count, const void *site)
{
    struct private_copy copy;
    void *to = bpor_copy_room(&copy, buffer, count, site);
    long bytes = read_by_nature("read", fd, to, bpor_short_read(fd, count, site), site);
    return bpor_copy_deliver(&copy, buffer, bytes, site);
}

INTERCEPT ssize_t read(int fd, void *buffer, size_t count)
{
    return told_read(fd, buffer, count, CALL_SITE);
}

ssize_t __read_chk(int fd, void *buffer, size_t count, size_t room);

INTERCEPT ssize_t __read_chk(int fd, void *buffer, size_t count, size_t room)
{
    if (!bpor_controlled() || count > room)
        return REAL(__read_chk)(fd, buffer, count, room);
    return told_read(fd, buffer, count, CALL_SITE);
}

static long write_by_nature(int fd, const void *buffer, size_t count, const void *site)
{
    if (bpor_writes_channel(fd))
        return bpor_write_all(fd, buffer, count, site);
    bpor_file_use(fd, CHANGES | MOVES, site);
    bpor_mapped_file_use(fd, HERE, count, CHANGES, site);
    return REAL(write)(fd, buffer, count);
}

INTERCEPT ssize_t write(int fd, const void *buffer, size_t count)
{
    struct private_copy copy;
    const void *from = bpor_copy_taken(&copy, buffer, count, CALL_SITE);
    return write_by_nature(fd, from, bpor_short_write(fd, count, CALL_SITE), CALL_SITE);
}

static long read_vector(int fd, const struct iovec *vector, int count, const void *site)
{
    struct transfer transfer = {.fd = fd, .number = SYS_readv, .argument = {fd, (long)vector, count}};
    if (bpor_reads_channel("readv", fd))
        return bpor_transfer(OP_FD_READ, &transfer, 0, site);
    bpor_file_use(fd, LOOKS | MOVES, site);
    bpor_mapped_file_use(fd, HERE, bpor_vector_bytes(vector, count), LOOKS, site);
    return REAL(readv)(fd, vector, count);
}

INTERCEPT ssize_t readv(int fd, const struct iovec *vector, int count)
{
    void *first;
    if (bpor_short_vector(true, fd, vector, count, &first, CALL_SITE))
        return told_read(fd, first, 1, CALL_SITE);
    bpor_told_vector_room(vector, count, CALL_SITE);
    long bytes = read_vector(fd, vector, count, CALL_SITE);
    bpor_told_vector_written(vector, count, bytes, CALL_SITE);
    return bytes;
}

/* More than PIPE_BUF bytes need not stay together: part by part. */
static long write_parts(int fd, const struct iovec *vector, int count, const void *site)
{
    long total = 0;
    for (int i = 0; i < count; i++) {
        long written = bpor_write_all(fd, vector[i].iov_base, vector[i].iov_len, site);
        if (written < 0)
            return total > 0 ? total : written;
        total += written;
        if ((size_t)written < vector[i].iov_len)
            break;
    }
    return total;
}

static long write_vector(int fd, const struct iovec *vector, int count, const void *site)
{
    struct msghdr message = {.msg_iov = (struct iovec *)vector, .msg_iovlen = (size_t)count};
    struct transfer transfer = {.fd = fd, .number = SYS_writev, .argument = {fd, (long)vector, count}};
    if (count < 0 || count > IOV_MAX)
        return libc_answer(-EINVAL);
    if (bpor_vector_bytes(vector, count) > PIPE_BUF)
        return write_parts(fd, vector, count, site);
    if (bpor_channel_of(fd)->kind == CHANNEL_SOCKETS) {
        transfer.number = SYS_sendmsg;
        transfer.argument[1] = (long)&message;
        transfer.argument[2] = MSG_NOSIGNAL;
    }
    return bpor_transfer(OP_FD_WRITE, &transfer, 0, site);
}

INTERCEPT ssize_t writev(int fd, const struct iovec *vector, int count)
{
    void *first;
    bpor_told_vector_read(vector, count, CALL_SITE);
    if (bpor_short_vector(false, fd, vector, count, &first, CALL_SITE))
        return write_by_nature(fd, first, 1, CALL_SITE);
    if (bpor_writes_channel(fd))
        return write_vector(fd, vector, count, CALL_SITE);
    bpor_file_use(fd, CHANGES | MOVES, CALL_SITE);
    bpor_mapped_file_use(fd, HERE, bpor_vector_bytes(vector, count), CHANGES, CALL_SITE);
    return REAL(writev)(fd, vector, count);
}

/* libc's own would read and write out of our sight. */
INTERCEPT int eventfd_read(int fd, eventfd_t *value)
{
    if (!bpor_reads_channel("eventfd_read", fd))
        return REAL(eventfd_read)(fd, value);
    eventfd_t taken;
    if (read_step(fd, &taken, sizeof taken, CALL_SITE) != sizeof taken)
        return -1;
    bpor_told_store(value, &taken, sizeof taken, CALL_SITE);
    return 0;
}

INTERCEPT int eventfd_write(int fd, eventfd_t value)
{
    if (!bpor_writes_channel(fd))
        return REAL(eventfd_write)(fd, value);
    return write_some(fd, (const char *)&value, sizeof value, CALL_SITE) == sizeof value ? 0 : -1;
}

/* Memory of the process itself, by way of the kernel. */
INTERCEPT ssize_t process_vm_readv(pid_t process, const struct iovec *local, unsigned long locals, const struct iovec *remote,
                                   unsigned long remotes, unsigned long flags)
{
    bool own = process == getpid();
    if (own) {
        bpor_told_vector_read(remote, (int)remotes, CALL_SITE);
        bpor_told_vector_room(local, (int)locals, CALL_SITE);
    }
    ssize_t bytes = REAL(process_vm_readv)(own ? sys_getpid() : process, local, locals, remote, remotes, flags);
    if (own)
        bpor_told_vector_written(local, (int)locals, bytes, CALL_SITE);
    return bytes;
}

INTERCEPT ssize_t process_vm_writev(pid_t process, const struct iovec *local, unsigned long locals, const struct iovec *remote,
                                    unsigned long remotes, unsigned long flags)
{
    bool own = process == getpid();
    if (own) {
        bpor_told_vector_read(local, (int)locals, CALL_SITE);
        bpor_told_vector_room(remote, (int)remotes, CALL_SITE);
    }
    ssize_t bytes = REAL(process_vm_writev)(own ? sys_getpid() : process, local, locals, remote, remotes, flags);
    if (own)
        bpor_told_vector_written(remote, (int)remotes, bytes, CALL_SITE);
    return bytes;
}
