/* A channel made before the fork point is shared by the template and all its executions: what one writes, the next would read.
 * So each execution begins by putting one of its own behind the same descriptor numbers, with the same contents. */
#define _GNU_SOURCE
#include "model/channel.h"
#include "runtime/sys.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

enum { END_UNKNOWN = -1, MANY = 1 << 30 };

struct ends {
    int old[2]; /* any descriptor of each end, or END_UNKNOWN */
    int new[2];
};

static int status_of(int fd)
{
    return (int)sys_call3(SYS_fcntl, fd, F_GETFL, 0);
}

static void put_behind(int new, int fd)
{
    int close_on_exec = sys_call3(SYS_fcntl, fd, F_GETFD, 0) & FD_CLOEXEC ? O_CLOEXEC : 0;
    sys_call3(SYS_fcntl, new, F_SETFL, status_of(fd));
    sys_call3(SYS_dup3, new, fd, close_on_exec);
}

static unsigned pipe_end(int fd)
{
    return (status_of(fd) & O_ACCMODE) == O_RDONLY ? 0 : 1;
}

static void find_pipe_ends(int fd, void *data)
{
    ((struct ends *)data)->old[pipe_end(fd)] = fd;
}

static void replace_pipe(int fd, void *data)
{
    put_behind(((struct ends *)data)->new[pipe_end(fd)], fd);
}

/* tee copies what is in a pipe and leaves it there. */
static void copy_contents(const struct ends *ends)
{
    if (ends->old[0] == END_UNKNOWN)
        return;
    long size = sys_call3(SYS_fcntl, ends->old[0], F_GETPIPE_SZ, 0);
    sys_call3(SYS_fcntl, ends->new[1], F_SETPIPE_SZ, size);
    sys_call4(SYS_tee, ends->old[0], ends->new[1], MANY, SPLICE_F_NONBLOCK);
}

static void renew_pipe(struct channel *channel)
{
    struct ends ends = {{END_UNKNOWN, END_UNKNOWN}, {0, 0}};
    bpor_channel_each(channel, find_pipe_ends, &ends);
    if ((ends.old[0] == END_UNKNOWN && ends.old[1] == END_UNKNOWN) || sys_call3(SYS_pipe2, ends.new, 0, 0) != 0)
        return;
    copy_contents(&ends);
    bpor_channel_each(channel, replace_pipe, &ends);
    sys_call3(SYS_close, ends.new[0], 0, 0);
    sys_call3(SYS_close, ends.new[1], 0, 0);
}

/* The kernel tells an eventfd's count without changing it, in hexadecimal. */
static uint64_t count_of(int fd)
{
    char path[64], text[256] = "";
    snprintf(path, sizeof path, "/proc/self/fdinfo/%d", fd);
    int info = (int)sys_call4(SYS_openat, -100, path, O_RDONLY | O_CLOEXEC, 0);
    if (info >= 0) {
        sys_read(info, text, sizeof text - 1);
        sys_call3(SYS_close, info, 0, 0);
    }
    const char *count = strstr(text, "eventfd-count:");
    return count ? strtoull(count + strlen("eventfd-count:"), NULL, 16) : 0;
}

static void find_any(int fd, void *data)
{
    *(int *)data = fd;
}

static void replace_all(int fd, void *data)
{
    put_behind(*(int *)data, fd);
}

static void renew_eventfd(struct channel *channel)
{
    int old = END_UNKNOWN;
    bpor_channel_each(channel, find_any, &old);
    if (old == END_UNKNOWN)
        return;
    uint64_t count = count_of(old);
    int new = (int)sys_call3(SYS_eventfd2, 0, channel->flags & EFD_SEMAPHORE, 0);
    if (count > 0)
        sys_write(new, &count, sizeof count);
    bpor_channel_each(channel, replace_all, &new);
    sys_call3(SYS_close, new, 0, 0);
}

/* Not what another process holds too; nor a pipe that keeps what was written in packets. */
bool bpor_channel_can_be_renewed(const struct channel *channel, int fd)
{
    bool pipe = channel->kind == CHANNEL_PIPE && !(status_of(fd) & O_DIRECT);
    return (pipe || channel->kind == CHANNEL_EVENTFD) && !channel->outside;
}

void bpor_channel_renew(struct channel *channel)
{
    int any = END_UNKNOWN;
    bpor_channel_each(channel, find_any, &any);
    if (any == END_UNKNOWN || !bpor_channel_can_be_renewed(channel, any))
        return;
    if (channel->kind == CHANNEL_PIPE)
        renew_pipe(channel);
    else
        renew_eventfd(channel);
}
