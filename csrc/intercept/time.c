/* Yields, sleeps and clocks, all in virtual time (runtime/time.c). */
#define _GNU_SOURCE
#include "intercept/told.h"
#include "loops/circle.h"
#include "python/locks.h"
#include "runtime/injection.h"
#include "runtime/real.h"
#include "runtime/runtime.h"
#include <errno.h>
#include <sched.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { MICROSECOND = 1000, MAX_DOUBLINGS = 24 };

static int yield_step(const void *site)
{
    bpor_operation(OP_YIELD, site);
    return bpor_step();
}

static void sleep_step(uint64_t nanoseconds, const void *site)
{
    bpor_operation(OP_SLEEP, site)->argument = (int64_t)nanoseconds;
    bpor_step();
}

static bool valid(const struct timespec *time)
{
    return time->tv_sec >= 0 && time->tv_nsec >= 0 && time->tv_nsec < NANOSECONDS;
}

static uint64_t nanoseconds_of(const struct timespec *time)
{
    return (uint64_t)time->tv_sec * NANOSECONDS + (uint64_t)time->tv_nsec;
}

/* A thread that reads the clock again and again waits for time to pass: each further read lets more of it pass. In a loop in
 * which it does nothing else it is a yield, too. */
static uint64_t read_clock(int clock, const void *site)
{
    struct thread *self = bpor_self;
    bpor_time_is_read();
    if (self->clock_site != (uint64_t)site && self->clock_site_before != (uint64_t)site)
        self->clock_reads = 0;
    if (self->clock_site != (uint64_t)site) {
        self->clock_site_before = self->clock_site;
        self->clock_site = (uint64_t)site;
    }
    unsigned doublings = self->clock_reads < MAX_DOUBLINGS ? self->clock_reads : MAX_DOUBLINGS;
    bpor_time_pass(self, (uint64_t)MICROSECOND << doublings);
    self->clock_reads++;
    if (bpor_circle_visit(self, (uint64_t)site, 0, LOOK_AT_CALLS) == VISIT_SAME) {
        bpor_operation(OP_YIELD, site)->flags = BPOR_FLAG_INFERRED;
        bpor_step();
    }
    return bpor_epoch(clock) + bpor_now();
}

INTERCEPT int sched_yield(void)
{
    if (!bpor_controlled())
        return REAL(sched_yield)();
    return bpor_interpreter_spins(CALL_SITE) ? 0 : yield_step(CALL_SITE);
}

INTERCEPT int nanosleep(const struct timespec *duration, struct timespec *remaining)
{
    if (!bpor_controlled())
        return REAL(nanosleep)(duration, remaining);
    bpor_told_read(duration, sizeof *duration, CALL_SITE);
    if (!valid(duration)) {
        errno = EINVAL;
        return -1;
    }
    if (bpor_interrupted(BPOR_CALL_SLEEP, CALL_SITE)) {
        if (remaining)
            *remaining = *duration;
        return -1;
    }
    sleep_step(nanoseconds_of(duration), CALL_SITE);
    return 0;
}

INTERCEPT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *remaining)
{
    if (!bpor_controlled())
        return REAL(clock_nanosleep)(clock, flags, time, remaining);
    bpor_told_read(time, sizeof *time, CALL_SITE);
    struct timespec unused;
    if (!valid(time) || clock == CLOCK_THREAD_CPUTIME_ID || REAL(clock_getres)(clock, &unused) != 0)
        return EINVAL;
    uint64_t amount = nanoseconds_of(time);
    if (flags & TIMER_ABSTIME) {
        uint64_t deadline = bpor_deadline(clock, time);
        amount = deadline > bpor_now() ? deadline - bpor_now() : 0;
    }
    if (bpor_injects(BPOR_FAULT_EINTR, BPOR_CALL_SLEEP, CALL_SITE)) {
        if (remaining && !(flags & TIMER_ABSTIME))
            *remaining = *time;
        return EINTR;
    }
    sleep_step(amount, CALL_SITE);
    return 0;
}

INTERCEPT int usleep(useconds_t microseconds)
{
    if (!bpor_controlled())
        return REAL(usleep)(microseconds);
    if (bpor_interrupted(BPOR_CALL_SLEEP, CALL_SITE))
        return -1;
    sleep_step((uint64_t)microseconds * MICROSECOND, CALL_SITE);
    return 0;
}

INTERCEPT unsigned sleep(unsigned seconds)
{
    if (!bpor_controlled())
        return REAL(sleep)(seconds);
    if (bpor_injects(BPOR_FAULT_EINTR, BPOR_CALL_SLEEP, CALL_SITE))
        return seconds;
    sleep_step((uint64_t)seconds * NANOSECONDS, CALL_SITE);
    return 0;
}

/* About to be written, whatever happens. */
static void writes_time(const void *time, size_t bytes, const void *site)
{
    if (time != NULL && bpor_listens(site))
        bpor_plain_access(time, bytes, true, site);
}

INTERCEPT int clock_gettime(clockid_t clock, struct timespec *time)
{
    if (!bpor_controlled() || REAL(clock_getres)(clock, NULL) != 0)
        return REAL(clock_gettime)(clock, time);
    uint64_t now = read_clock(clock, CALL_SITE);
    writes_time(time, sizeof *time, CALL_SITE);
    time->tv_sec = (time_t)(now / NANOSECONDS);
    time->tv_nsec = (long)(now % NANOSECONDS);
    return 0;
}

/* Asked for validity above; what it answers is the machine's and repeats. */
INTERCEPT int clock_getres(clockid_t clock, struct timespec *resolution)
{
    return REAL(clock_getres)(clock, resolution);
}

INTERCEPT int timespec_get(struct timespec *time, int base)
{
    if (!bpor_controlled() || base != TIME_UTC)
        return REAL(timespec_get)(time, base);
    uint64_t now = read_clock(CLOCK_REALTIME, CALL_SITE);
    writes_time(time, sizeof *time, CALL_SITE);
    time->tv_sec = (time_t)(now / NANOSECONDS);
    time->tv_nsec = (long)(now % NANOSECONDS);
    return base;
}

INTERCEPT int gettimeofday(struct timeval *restrict time, void *restrict zone)
{
    if (!bpor_controlled())
        return REAL(gettimeofday)(time, zone);
    uint64_t now = read_clock(CLOCK_REALTIME, CALL_SITE);
    writes_time(time, sizeof *time, CALL_SITE);
    time->tv_sec = (time_t)(now / NANOSECONDS);
    time->tv_usec = (suseconds_t)(now % NANOSECONDS / MICROSECOND);
    return 0;
}

INTERCEPT time_t time(time_t *result)
{
    if (!bpor_controlled())
        return REAL(time)(result);
    time_t seconds = (time_t)(read_clock(CLOCK_REALTIME, CALL_SITE) / NANOSECONDS);
    writes_time(result, sizeof *result, CALL_SITE);
    if (result)
        *result = seconds;
    return seconds;
}

INTERCEPT clock_t clock(void)
{
    if (!bpor_controlled())
        return REAL(clock)();
    return (clock_t)(read_clock(CLOCK_PROCESS_CPUTIME_ID, CALL_SITE) / (NANOSECONDS / CLOCKS_PER_SEC));
}
