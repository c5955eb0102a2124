// A timed poll is taken for ready although its time may have run out: the read that follows does not block and finds nothing.
// options: --timeouts=explore
// bound preemption:1: assertion
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *receive(void *unused)
{
    struct pollfd one = {.fd = ends[0], .events = POLLIN};
    char byte;
    poll(&one, 1, 1000);
    assert(read(ends[0], &byte, 1) == 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    if (pipe2(ends, O_NONBLOCK) != 0)
        return 1;
    pthread_create(&thread, NULL, receive, NULL);
    if (write(ends[1], "x", 1) != 1)
        return 1;
    pthread_join(thread, NULL);
    return 0;
}
