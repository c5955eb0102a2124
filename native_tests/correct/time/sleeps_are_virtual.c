// Sleeps take no real time and move every clock: an hour each way passes at once (natively, without the argument, a microsecond).
// args: 3600
// bound none: pass, traces 1
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static long seconds;

static long now(clockid_t clock)
{
    struct timespec time;
    assert(clock_gettime(clock, &time) == 0);
    return time.tv_sec;
}

static void *sleep_all_ways(void *unused)
{
    struct timespec interval = {.tv_sec = seconds, .tv_nsec = 1000}, left, until;
    long before = now(CLOCK_MONOTONIC), before_real = now(CLOCK_REALTIME);
    assert(sleep((unsigned)seconds) == 0);
    assert(usleep(1) == 0);
    assert(nanosleep(&interval, &left) == 0);
    assert(clock_nanosleep(CLOCK_MONOTONIC, 0, &interval, NULL) == 0);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += seconds;
    assert(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL) == 0);
    assert(now(CLOCK_MONOTONIC) - before >= 4 * seconds);
    assert(now(CLOCK_REALTIME) - before_real >= 4 * seconds);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    seconds = argc > 1 ? atol(argv[1]) : 0;
    pthread_create(&thread, NULL, sleep_all_ways, NULL);
    pthread_join(thread, NULL);
    return 0;
}
