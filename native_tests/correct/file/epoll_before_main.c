// An epoll made before main, and what it watches, would be shared by all executions of one process: each gets a process of its own.
// bound none: pass
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int loop, event;

__attribute__((constructor)) static void make(void)
{
    loop = epoll_create1(0);
    event = eventfd(0, 0);
}

static void *post(void *unused)
{
    uint64_t one = 1;
    assert(write(event, &one, sizeof one) == sizeof one);
    return unused;
}

int main(void)
{
    struct epoll_event wanted = {.events = EPOLLIN}, got;
    pthread_t thread[2];
    assert(epoll_ctl(loop, EPOLL_CTL_ADD, event, &wanted) == 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, post, NULL);
    assert(epoll_wait(loop, &got, 1, -1) == 1);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
