/* timerfd_create and its kin: timers in virtual time (model/timer.c). */
#define _GNU_SOURCE
#include "model/timer.h"
#include "intercept/descriptor_io.h"
#include "intercept/file_use.h"
#include "intercept/told.h"
#include "process/imports.h"
#include "reset/guard.h"
#include "runtime/real.h"
#include "runtime/sys.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>

INTERCEPT int timerfd_create(clockid_t clock, int flags)
{
    bool known = clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC || clock == CLOCK_BOOTTIME;
    if (!bpor_controlled() || !known || flags & ~(TFD_NONBLOCK | TFD_CLOEXEC))
        return REAL(timerfd_create)(clock, flags); /* which answers with an error, once there are executions */
    if (!bpor_imports_timers())                    /* then waits of an epoll do not expect one */
        bpor_refuse("timerfd_create",
                    "looked up while the program runs; link the program or a library loaded at start against it");
    bpor_number_given(CALL_SITE);
    int fd = REAL(eventfd)(0, flags); /* TFD_NONBLOCK and TFD_CLOEXEC are its flags, too */
    if (fd < 0)
        return fd;
    bpor_channel_made(CHANNEL_TIMER, 0, flags, &fd, 1, CALL_SITE);
    bpor_channel_of(fd)->clock = clock;
    return fd;
}

static struct channel *timer_of(int fd)
{
    struct channel *channel = bpor_controlled() ? bpor_channel_of(fd) : NULL;
    return channel && channel->kind == CHANNEL_TIMER ? channel : NULL;
}

static void control_step(int fd, bool write, const void *site)
{
    struct transfer transfer = {.fd = fd, .number = SYS_fcntl, .argument = {fd, F_GETFL}};
    bpor_descriptor_step(OP_FD_CONTROL, NULL, write, &transfer, site);
}

static struct timespec timespec_of(uint64_t nanoseconds)
{
    return (struct timespec){.tv_sec = (time_t)(nanoseconds / NANOSECONDS), .tv_nsec = (long)(nanoseconds % NANOSECONDS)};
}

static struct itimerspec left_of(const struct channel *timer)
{
    bool is_set = timer->rings_at != NEVER_RINGS;
    uint64_t left = is_set ? timer->rings_at - bpor_now() : 0;
    return (struct itimerspec){.it_interval = timespec_of(timer->interval), .it_value = timespec_of(left)};
}

static void drain(int fd)
{
    uint64_t rung;
    struct pollfd one = {.fd = fd, .events = POLLIN};
    const long argument[6] = {fd, (long)&rung, sizeof rung};
    if (sys_call3(SYS_poll, &one, 1, 0) > 0)
        bpor_guard_call_channel(SYS_read, argument);
}

static uint64_t first_ring(const struct channel *timer, int flags, const struct timespec *value)
{
    uint64_t at;
    if (value->tv_sec == 0 && value->tv_nsec == 0)
        return NEVER_RINGS;
    if (flags & TFD_TIMER_ABSTIME)
        at = bpor_deadline(timer->clock, value);
    else
        at = bpor_time_in(bpor_nanoseconds((uint64_t)value->tv_sec, (uint64_t)value->tv_nsec));
    return at == 0 ? 1 : at == UINT64_MAX ? UINT64_MAX - 1 : at; /* neither "not set" nor "never" */
}

static bool is_time(const struct timespec *time)
{
    return time->tv_sec >= 0 && time->tv_nsec >= 0 && time->tv_nsec < NANOSECONDS;
}

INTERCEPT int timerfd_settime(int fd, int flags, const struct itimerspec *value, struct itimerspec *old)
{
    struct channel *timer = timer_of(fd);
    if (timer == NULL)
        return REAL(timerfd_settime)(fd, flags, value, old);
    bpor_told_read(value, sizeof *value, CALL_SITE);
    if (!is_time(&value->it_value) || !is_time(&value->it_interval) || flags & ~(TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET)) {
        errno = EINVAL;
        return -1;
    }
    control_step(fd, true, CALL_SITE);
    bpor_timer_ring(timer, fd, bpor_now());
    struct itimerspec before = left_of(timer);
    drain(fd);
    timer->interval = bpor_nanoseconds((uint64_t)value->it_interval.tv_sec, (uint64_t)value->it_interval.tv_nsec);
    timer->rings_at = first_ring(timer, flags, &value->it_value);
    bpor_told_store(old, &before, sizeof before, CALL_SITE);
    return 0;
}

INTERCEPT int timerfd_gettime(int fd, struct itimerspec *left)
{
    struct channel *timer = timer_of(fd);
    if (timer == NULL)
        return REAL(timerfd_gettime)(fd, left);
    control_step(fd, true, CALL_SITE); /* it may ring */
    bpor_time_is_read();
    bpor_timer_ring(timer, fd, bpor_now());
    struct itimerspec now = left_of(timer);
    bpor_told_store(left, &now, sizeof now, CALL_SITE);
    return 0;
}
