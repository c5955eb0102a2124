// Pipes, eventfds, sockets and epolls that an execution makes, fills and leaves open are gone when the next one begins.
// bound none: pass, traces 2
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

static int ends[2], event, sockets[2], watch;

static void *write_into_pipe(void *unused)
{
    assert(write(ends[1], "pipe", 4) == 4);
    return unused;
}

/* Descriptors lie one behind the other, unless an earlier execution has left some. */
static void make_all(void)
{
    assert(pipe2(ends, O_CLOEXEC) == 0);
    event = eventfd(0, 0);
    watch = epoll_create1(0);
    assert(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
    assert(ends[1] == ends[0] + 1 && event == ends[1] + 1 && watch == event + 1 && sockets[0] == watch + 1);
    assert(fcntl(ends[0], F_DUPFD, 20) == 20 && dup2(event, 21) == 21 && dup3(sockets[0], 22, O_CLOEXEC) == 22);
}

int main(void)
{
    char text[16];
    eventfd_t count;
    pthread_t thread[2];
    struct epoll_event ready = {.events = EPOLLIN};
    make_all();
    assert(epoll_ctl(watch, EPOLL_CTL_ADD, ends[0], &ready) == 0);
    assert(ioctl(ends[0], FIONBIO, &(int){1}) == 0 && ioctl(ends[0], FIOCLEX) == 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, write_into_pipe, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert(epoll_wait(watch, &ready, 1, -1) == 1);
    assert(read(20, text, sizeof text) == 8);
    assert(eventfd_write(event, 1) == 0 && eventfd_read(21, &count) == 0 && count == 1);
    assert(send(22, "socket", 6, 0) == 6); /* it stays there */
    assert(close(ends[1]) == 0);           /* the rest is left open */
    return 0;
}
