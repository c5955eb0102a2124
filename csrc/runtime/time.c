/* Virtual time: per thread and causal. A sleep or a timeout advances the thread's own clock, a step takes the maximum over the
 * objects it touches, every clock read advances the reader a little, more when repeated. Nobody sleeps for real, unless another
 * process is at work: a parent that gives its child a second must not be done with it at once. */
#include "process/family.h"
#include "runtime/alarm.h"
#include "runtime/runtime.h"
#include "runtime/sys.h"
#include <time.h>

/* The day that every execution believes it is; any constant would do, a plausible one breaks fewer programs. */
static const uint64_t realtime_epoch = 1767225600ull * NANOSECONDS; /* 2026-01-01 00:00 UTC */
static const uint64_t monotonic_epoch = 100000ull * NANOSECONDS;

/* A process that was claimed at its first thread has read clocks before, and a clock does not go backwards. */
static struct begun {
    uint64_t realtime;
    uint64_t monotonic;
    uint64_t processor;
} begun;

static uint64_t real_time(int clock)
{
    struct timespec now = {0};
    sys_call3(SYS_clock_gettime, clock, &now, 0);
    return (uint64_t)now.tv_sec * NANOSECONDS + (uint64_t)now.tv_nsec;
}

void bpor_time_begin_late(void)
{
    begun = (struct begun){real_time(CLOCK_REALTIME), real_time(CLOCK_BOOTTIME), real_time(CLOCK_PROCESS_CPUTIME_ID)};
}

uint64_t bpor_epoch(int clock)
{
    switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_TAI:
        return begun.realtime ? begun.realtime : realtime_epoch;
    case CLOCK_PROCESS_CPUTIME_ID:
    case CLOCK_THREAD_CPUTIME_ID:
        return begun.processor;
    default:
        return begun.monotonic ? begun.monotonic : monotonic_epoch;
    }
}

uint64_t bpor_now(void)
{
    return bpor_self->now;
}

void bpor_time_is_read(void)
{
    bpor->shared->past_read |= BPOR_PAST_CLOCK;
}

bool bpor_time_counts(void)
{
    return bpor->shared->past_read & BPOR_PAST_CLOCK || !(bpor->plan.flags & (BPOR_PLAN_LASSO | BPOR_PLAN_MATCH));
}

uint64_t bpor_nanoseconds(uint64_t seconds, uint64_t nanoseconds)
{
    uint64_t total;
    if (__builtin_mul_overflow(seconds, (uint64_t)NANOSECONDS, &total) || __builtin_add_overflow(total, nanoseconds, &total))
        return UINT64_MAX;
    return total;
}

uint64_t bpor_time_in(uint64_t nanoseconds)
{
    uint64_t then;
    return __builtin_add_overflow(bpor_now(), nanoseconds, &then) ? UINT64_MAX : then;
}

void bpor_time_pass(struct thread *thread, uint64_t nanoseconds)
{
    struct timespec real = {(time_t)(nanoseconds / NANOSECONDS), (long)(nanoseconds % NANOSECONDS)};
    if (bpor_family_child_lives())
        sys_call3(SYS_nanosleep, &real, 0, 0);
    if (__builtin_add_overflow(thread->now, nanoseconds, &thread->now))
        thread->now = UINT64_MAX;
    bpor_alarm_look(thread);
}

/* An absolute time of a clock as virtual time; what lies before the start of the execution has passed already. One that is still
 * to come passes when the clock says so: whoever waits for it reads the clock. */
uint64_t bpor_deadline(int clock, const struct timespec *absolute)
{
    uint64_t epoch = bpor_epoch(clock), total;
    if (absolute->tv_sec < 0)
        return 0;
    if (__builtin_mul_overflow((uint64_t)absolute->tv_sec, (uint64_t)NANOSECONDS, &total) ||
        __builtin_add_overflow(total, (uint64_t)absolute->tv_nsec, &total))
        return UINT64_MAX; /* never */
    if (total <= epoch)
        return 0;
    bpor_time_is_read();
    return total - epoch;
}
