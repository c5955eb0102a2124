/* Pipes, sockets, eventfds, and waiting for several of them, within one thread. */
#include "player.h"
#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static uint64_t through_pipe(unsigned parameter)
{
    int ends[2];
    char out[600], in[600] = {};
    for (unsigned i = 0; i < sizeof out; i++)
        out[i] = i * parameter;
    MUST(pipe2(ends, O_CLOEXEC) == 0);
    ssize_t bytes = 1 + parameter % sizeof out;
    MUST(write(ends[1], out, bytes) == bytes && read(ends[0], in, sizeof in) == bytes);
    close(ends[1]);
    uint64_t value = read(ends[0], in, sizeof in) == 0;
    close(ends[0]);
    return mixed_bytes(value, in, bytes);
}

static uint64_t full_pipe(unsigned)
{
    int ends[2];
    char bytes[4096] = {};
    uint64_t value = 0;
    MUST(pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0);
    while (write(ends[1], bytes, sizeof bytes) > 0)
        value++;
    value = mixed(value, errno);
    close(ends[0]), close(ends[1]);
    return value;
}

static uint64_t through_sockets(unsigned parameter)
{
    int ends[2];
    char in[16] = {};
    MUST(socketpair(AF_UNIX, parameter % 2 ? SOCK_STREAM : SOCK_DGRAM, 0, ends) == 0);
    MUST(send(ends[0], "abcdef", 6, 0) == 6 && send(ends[1], "xy", 2, 0) == 2);
    uint64_t value = recv(ends[1], in, 4, 0);
    value = mixed(value, recv(ends[0], in + 8, 8, 0));
    close(ends[0]), close(ends[1]);
    return mixed_bytes(value, in, sizeof in);
}

static uint64_t counted(unsigned parameter)
{
    int event = eventfd(parameter % 5, EFD_CLOEXEC | EFD_NONBLOCK);
    uint64_t more = 3, value = 0;
    MUST(event >= 0 && write(event, &more, 8) == 8 && read(event, &value, 8) == 8);
    value = mixed(value, read(event, &more, 8) == 8 ? 0 : errno);
    close(event);
    return value;
}

static uint64_t ready(unsigned parameter)
{
    int ends[2];
    MUST(pipe2(ends, O_CLOEXEC) == 0);
    if (parameter % 2)
        MUST(write(ends[1], "x", 1) == 1);
    struct pollfd polled[2] = {{ends[0], POLLIN, 0}, {ends[1], POLLOUT, 0}};
    uint64_t value = poll(polled, 2, 0);
    value = mixed(value, polled[0].revents * 256 + polled[1].revents);
    fd_set set;
    FD_ZERO(&set);
    FD_SET(ends[0], &set);
    struct timeval none = {0, 0};
    value = mixed(value, select(ends[0] + 1, &set, nullptr, nullptr, &none));
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {EPOLLIN, {nullptr}};
    MUST(epoll >= 0 && epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event) == 0);
    value = mixed(value, epoll_wait(epoll, &event, 1, 0));
    close(epoll), close(ends[0]), close(ends[1]);
    return value;
}

static uint64_t gathered(unsigned parameter)
{
    int ends[2];
    char one[5] = "abcd", two[3] = "ef", in[8] = {};
    struct iovec out[2] = {{one, 4}, {two, 1 + parameter % 2}}, back = {in, sizeof in};
    MUST(pipe2(ends, O_CLOEXEC) == 0);
    uint64_t value = writev(ends[1], out, 2);
    value = mixed(value, readv(ends[0], &back, 1));
    close(ends[0]), close(ends[1]);
    return mixed_bytes(value, in, sizeof in);
}

const Activity of_channels[] = {
    {"through_pipe", through_pipe, NOTHING},
    {"full_pipe", full_pipe, NOTHING},
    {"through_sockets", through_sockets, NOTHING},
    {"counted", counted, NOTHING},
    {"ready", ready, NOTHING},
    {"gathered", gathered, NOTHING},
    {nullptr, nullptr, NOTHING},
};
