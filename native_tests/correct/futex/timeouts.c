// A futex wait's timeout is an interval, a bitset wait's a time of its clock; both pass in virtual time (natively, without the
// argument, a millisecond).
// args: 3600
// bound none: pass, traces 1
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static uint32_t word;

static double now(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void times_out(int operation, const struct timespec *timeout)
{
    assert(syscall(SYS_futex, &word, operation, 0, timeout, NULL, FUTEX_BITSET_MATCH_ANY) == -1 && errno == ETIMEDOUT);
}

static void wait_until(clockid_t clock, int flag, long seconds)
{
    struct timespec time;
    clock_gettime(clock, &time);
    double before = now(clock);
    time.tv_sec += seconds;
    times_out(FUTEX_WAIT_BITSET_PRIVATE | flag, &time);
    assert(now(clock) - before >= (double)seconds - 1e-3);
    time.tv_sec -= seconds + 10;
    times_out(FUTEX_WAIT_BITSET_PRIVATE | flag, &time);
}

int main(int argc, char **argv)
{
    long seconds = argc > 1 ? atol(argv[1]) : 0;
    struct timespec interval = {.tv_sec = seconds, .tv_nsec = 1000 * 1000};
    double before = now(CLOCK_MONOTONIC);
    times_out(FUTEX_WAIT_PRIVATE, &interval);
    assert(now(CLOCK_MONOTONIC) - before >= (double)seconds);
    wait_until(CLOCK_MONOTONIC, 0, seconds);
    wait_until(CLOCK_REALTIME, FUTEX_CLOCK_REALTIME, seconds);
    return 0;
}
