// A timer is set to zero while a thread waits for it: that takes it back, and the thread waits for ever, unless it rang before.
// expect: deadlock
#include <pthread.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <unistd.h>

static int timer;

static void *wait_for_it(void *unused)
{
    uint64_t times;
    return read(timer, &times, sizeof times) == sizeof times ? unused : &timer;
}

int main(void)
{
    struct itimerspec soon = {{0, 0}, {0, 1000000}}, never = {{0, 0}, {0, 0}};
    pthread_t thread;
    timer = timerfd_create(CLOCK_MONOTONIC, 0);
    timerfd_settime(timer, 0, &soon, NULL);
    pthread_create(&thread, NULL, wait_for_it, NULL);
    timerfd_settime(timer, 0, &never, NULL);
    pthread_join(thread, NULL);
    return 0;
}
