// A timer that is a descriptor rings in virtual time: where nobody else can go on, and as often as its interval has passed for whoever
// reads it; a thread that waits for it by epoll sets it for another.
// with WAY=0, expect: pass
// with WAY=1, expect: pass
// with WAY=2, expect: pass
// with WAY=3, expect: pass
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#ifndef WAY
#define WAY 3
#endif

static int timer, stop[2], epoll;

static void set(long milliseconds, long interval)
{
    struct itimerspec value = {{0, interval * 1000000}, {0, milliseconds * 1000000}};
    assert(timerfd_settime(timer, 0, &value, NULL) == 0);
}

static uint64_t rung(void)
{
    uint64_t times = 0;
    assert(read(timer, &times, sizeof times) == sizeof times);
    return times;
}

static void *read_it(void *unused)
{
    assert(rung() == 1);
    return unused;
}

static void *poll_it(void *unused)
{
    struct pollfd both[] = {{timer, POLLIN, 0}, {stop[0], POLLIN, 0}};
    assert(poll(both, 2, 5) == 0);
    assert(poll(both, 2, -1) == 1 && both[0].revents && rung() == 1);
    return unused;
}

static void *sleep_first(void *unused)
{
    struct timespec long_enough = {0, 35000000};
    struct itimerspec left;
    nanosleep(&long_enough, NULL);
    assert(rung() >= 3);
    assert(timerfd_gettime(timer, &left) == 0 && left.it_interval.tv_nsec == 10000000);
    return unused;
}

static void *wait_for_events(void *unused)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = timer}, got;
    assert(epoll_ctl(epoll, EPOLL_CTL_ADD, timer, &event) == 0);
    event.data.fd = stop[0];
    assert(epoll_ctl(epoll, EPOLL_CTL_ADD, stop[0], &event) == 0);
    for (int seen = 0; seen < 2; seen++) {
        assert(epoll_wait(epoll, &got, 1, -1) == 1);
        if (got.data.fd == timer)
            assert(rung() == 1);
        else
            assert(read(stop[0], &(char){0}, 1) == 1);
    }
    return unused;
}

int main(void)
{
    void *(*work[])(void *) = {read_it, poll_it, sleep_first, wait_for_events};
    pthread_t thread;
    timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    epoll = epoll_create1(0);
    if (timer < 0 || epoll < 0 || pipe(stop) != 0)
        return 1;
    if (WAY == 1)
        set(10, 0);
    if (WAY == 2)
        set(10, 10);
    pthread_create(&thread, NULL, work[WAY], NULL);
    if (WAY == 0 || WAY == 3)
        set(10, 0);
    if (WAY == 3)
        assert(write(stop[1], "", 1) == 1);
    pthread_join(thread, NULL);
    return 0;
}
