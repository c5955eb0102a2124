/* Virtual time: per thread and causal. A sleep or a timeout advances the thread's own clock, a step takes the maximum over the
 * objects it touches, every clock read advances the reader a little, more when repeated. Nobody sleeps for real. */
#include "runtime/runtime.h"
#include <time.h>

/* The day that every execution believes it is; any constant would do, a plausible one breaks fewer programs. */
static const uint64_t realtime_epoch = 1767225600ull * NANOSECONDS; /* 2026-01-01 00:00 UTC */
static const uint64_t monotonic_epoch = 100000ull * NANOSECONDS;

uint64_t bpor_epoch(int clock)
{
    switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_TAI:
        return realtime_epoch;
    case CLOCK_PROCESS_CPUTIME_ID:
    case CLOCK_THREAD_CPUTIME_ID:
        return 0;
    default:
        return monotonic_epoch;
    }
}

uint64_t bpor_now(void)
{
    return bpor_self->now;
}

void bpor_time_pass(struct thread *thread, uint64_t nanoseconds)
{
    if (__builtin_add_overflow(thread->now, nanoseconds, &thread->now))
        thread->now = UINT64_MAX;
}

/* An absolute time of a clock as virtual time; what lies before the start of the execution has passed already. */
uint64_t bpor_deadline(int clock, const struct timespec *absolute)
{
    uint64_t epoch = bpor_epoch(clock), total;
    if (absolute->tv_sec < 0)
        return 0;
    if (__builtin_mul_overflow((uint64_t)absolute->tv_sec, (uint64_t)NANOSECONDS, &total) ||
        __builtin_add_overflow(total, (uint64_t)absolute->tv_nsec, &total))
        return UINT64_MAX;
    return total > epoch ? total - epoch : 0;
}
