// A thread that looks at a timer again and again, without waiting, sees it ring.
// with LOOK=0, expect: pass
// with LOOK=1, expect: pass
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <unistd.h>

#ifndef LOOK
#define LOOK 0
#endif

static int timer;

static void *look(void *unused)
{
    struct pollfd one = {timer, POLLIN, 0};
    uint64_t times;
    while (LOOK ? poll(&one, 1, 0) == 0 : read(timer, &times, sizeof times) < 0)
        ;
    return unused;
}

int main(void)
{
    struct itimerspec soon = {{0, 0}, {0, 1000000}};
    pthread_t thread;
    timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
    timerfd_settime(timer, 0, &soon, NULL);
    pthread_create(&thread, NULL, look, NULL);
    pthread_join(thread, NULL);
    return 0;
}
