// An event loop over two eventfds gets both events, together or one by one, in either order; edge-triggered it gets each once.
// bound none: pass
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int source[2];

static void *post(void *fd)
{
    uint64_t one = 1;
    assert(write(*(int *)fd, &one, sizeof one) == sizeof one);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    struct epoll_event event = {.events = EPOLLIN | EPOLLET}, got[2];
    int loop = epoll_create1(0), seen = 0;
    for (int i = 0; i < 2; i++) {
        source[i] = eventfd(0, 0);
        event.data.u32 = 1u << i;
        assert(epoll_ctl(loop, EPOLL_CTL_ADD, source[i], &event) == 0);
    }
    assert(epoll_wait(loop, got, 2, 0) == 0 && epoll_wait(loop, got, 2, 5) == 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, post, &source[i]);
    while (seen != 3) {
        int count = epoll_wait(loop, got, 2, -1);
        assert(count > 0);
        for (int i = 0; i < count; i++) {
            assert(!(seen & (int)got[i].data.u32));
            seen |= (int)got[i].data.u32;
        }
    }
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert(epoll_ctl(loop, EPOLL_CTL_DEL, source[0], NULL) == 0);
    return 0;
}
