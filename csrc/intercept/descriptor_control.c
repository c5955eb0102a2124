/* fcntl and ioctl on channels: the few requests that copy a descriptor, change whether it blocks, or look into it. */
#define _GNU_SOURCE
#include "intercept/descriptor_io.h"
#include "runtime/real.h"
#include "runtime/sys.h"
#include <fcntl.h>
#include <stdarg.h>
#include <sys/ioctl.h>

static long control_step(enum operation_kind kind, bool write, long number, int fd, long request, long argument, const void *site)
{
    struct transfer transfer = {.fd = fd, .number = number, .argument = {fd, request, argument}};
    return bpor_descriptor_step(kind, NULL, write, &transfer, site);
}

static int control(int fd, int command, long argument, const void *site)
{
    bool copies = command == F_DUPFD || command == F_DUPFD_CLOEXEC;
    int result;
    if (bpor_writes_channel(fd) && copies)
        result = (int)control_step(OP_FD_COPY, false, SYS_fcntl, fd, command, argument, site);
    else if (bpor_writes_channel(fd) && (command == F_SETFL || command == F_SETPIPE_SZ))
        result = (int)control_step(OP_FD_CONTROL, true, SYS_fcntl, fd, command, argument, site);
    else
        result = REAL(fcntl)(fd, command, argument);
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
    return REAL(ioctl)(fd, request, argument);
}
