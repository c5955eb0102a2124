/* fcntl and ioctl on channels: the few requests that copy a descriptor, change whether it blocks, or look into it. */
#define _GNU_SOURCE
#include "intercept/descriptor_io.h"
#include "intercept/file_use.h"
#include "intercept/told.h"
#include "runtime/real.h"
#include "runtime/sys.h"
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

static long control_step(enum operation_kind kind, bool write, long number, int fd, long request, long argument, const void *site)
{
    struct transfer transfer = {.fd = fd, .number = number, .argument = {fd, request, argument}};
    return bpor_descriptor_step(kind, NULL, write, &transfer, site);
}

static unsigned access_of(int command)
{
    switch (command) {
    case F_GETFD:
    case F_GETFL:
    case F_GETPIPE_SZ:
        return LOOKS;
    case F_SETFD:
    case F_SETFL:
    case F_SETPIPE_SZ:
        return CHANGES;
    default:
        return LOOKS | CHANGES;
    }
}

/* Shared by all descriptors of a channel, and by whoever reads and writes it. */
static bool is_of_channel(int command)
{
    return command == F_GETFL || command == F_SETFL || command == F_GETPIPE_SZ || command == F_SETPIPE_SZ;
}

/* Threads share record locks of the process; those of an open file they do not, and one that would have to wait is out of
 * reach. */
static int lock_file(int fd, int command, long argument, const void *site)
{
    bool waits = command == F_OFD_SETLKW && bpor_controlled();
    bool asks = command == F_GETLK || command == F_OFD_GETLK;
    bpor_file_lock_use(fd, asks ? LOOKS : LOOKS | CHANGES, site);
    (asks ? bpor_told_fill : bpor_told_read)((const void *)argument, sizeof(struct flock), site);
    int result = REAL(fcntl)(fd, waits ? F_OFD_SETLK : command, argument);
    if (waits && result != 0 && (errno == EAGAIN || errno == EACCES))
        bpor_refuse("fcntl", "waiting for a lock of a file cannot be controlled; use a mutex");
    return result;
}

static bool is_lock(int command)
{
    return command == F_SETLK || command == F_SETLKW || command == F_GETLK || command == F_OFD_SETLK || command == F_OFD_SETLKW ||
           command == F_OFD_GETLK;
}

static int control_other(int fd, int command, long argument, bool copies, const void *site)
{
    if (is_lock(command))
        return lock_file(fd, command, argument, site);
    if (copies)
        bpor_number_given(site);
    else
        bpor_descriptor_use(fd, access_of(command), site);
    if (command == F_ADD_SEALS)
        bpor_file_use(fd, LOOKS | CHANGES, site); /* who writes finds out */
    return REAL(fcntl)(fd, command, argument);
}

static int control(int fd, int command, long argument, const void *site)
{
    bool copies = command == F_DUPFD || command == F_DUPFD_CLOEXEC;
    int result;
    if (bpor_writes_channel(fd) && copies)
        result = (int)control_step(OP_FD_COPY, false, SYS_fcntl, fd, command, argument, site);
    else if (bpor_writes_channel(fd) && is_of_channel(command))
        result = (int)control_step(OP_FD_CONTROL, access_of(command) & CHANGES, SYS_fcntl, fd, command, argument, site);
    else
        result = control_other(fd, command, argument, copies, site);
    if (copies && result >= 0 && bpor_tracks_descriptors())
        bpor_descriptor_copied(fd, result);
    return result;
}

INTERCEPT int fcntl(int fd, int command, ...)
{
    va_list rest;
    va_start(rest, command);
    long argument = va_arg(rest, long);
    va_end(rest);
    return control(fd, command, argument, CALL_SITE);
}

/* The name that programs built with 64-bit file offsets call. */
INTERCEPT int fcntl64(int fd, int command, ...)
{
    va_list rest;
    va_start(rest, command);
    long argument = va_arg(rest, long);
    va_end(rest);
    return control(fd, command, argument, CALL_SITE);
}

INTERCEPT int ioctl(int fd, unsigned long request, ...)
{
    va_list rest;
    va_start(rest, request);
    long argument = va_arg(rest, long);
    va_end(rest);
    if (bpor_writes_channel(fd) && (request == FIONBIO || request == FIONREAD))
        return (int)control_step(OP_FD_CONTROL, request == FIONBIO, SYS_ioctl, fd, (long)request, argument, CALL_SITE);
    bpor_descriptor_use(fd, LOOKS | CHANGES, CALL_SITE);
    return REAL(ioctl)(fd, request, argument);
}

INTERCEPT int getsockopt(int fd, int level, int option, void *restrict value, socklen_t *restrict length)
{
    socklen_t room = length ? *length : 0;
    bpor_told_room(value, room, CALL_SITE);
    bpor_descriptor_use(fd, LOOKS, CALL_SITE);
    int result = REAL(getsockopt)(fd, level, option, value, length);
    bpor_told_write(value, result == 0 ? (ssize_t)room : 0, CALL_SITE);
    return result;
}

INTERCEPT int setsockopt(int fd, int level, int option, const void *value, socklen_t length)
{
    bpor_told_read(value, length, CALL_SITE);
    bpor_descriptor_use(fd, CHANGES, CALL_SITE);
    return REAL(setsockopt)(fd, level, option, value, length);
}

/* Who reads at the other end, or writes at this one, finds out. */
INTERCEPT int shutdown(int fd, int how)
{
    if (bpor_writes_channel(fd))
        return (int)control_step(OP_FD_CONTROL, true, SYS_shutdown, fd, how, 0, CALL_SITE);
    bpor_descriptor_use(fd, CHANGES, CALL_SITE);
    return REAL(shutdown)(fd, how);
}
