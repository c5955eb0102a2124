// A thread already waits for an empty epoll when another adds a pipe and writes to it: the wait ends.
// bound none: pass
#include <assert.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <unistd.h>

static int loop, ends[2];

static void *wait_for_event(void *unused)
{
    struct epoll_event got;
    assert(epoll_wait(loop, &got, 1, -1) == 1 && got.data.fd == ends[0]);
    return unused;
}

int main(void)
{
    pthread_t thread;
    loop = epoll_create1(0);
    assert(pipe(ends) == 0);
    pthread_create(&thread, NULL, wait_for_event, NULL);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = ends[0]};
    assert(epoll_ctl(loop, EPOLL_CTL_ADD, ends[0], &event) == 0);
    assert(write(ends[1], "x", 1) == 1);
    pthread_join(thread, NULL);
    return 0;
}
