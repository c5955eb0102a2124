/* pthread_cond_*: a wait is two steps, COND_WAIT and COND_WAKE (model/condition.c). */
#define _GNU_SOURCE
#include "intercept/steps.h"
#include "intercept/told.h"
#include "model/rules.h"
#include "python/gil.h"
#include "runtime/real.h"
#include <errno.h>
#include <pthread.h>
#include <time.h>

enum { CLOCK_MONOTONIC_BIT = 2 }; /* libc keeps the condition's clock in bit 1 of __wrefs */

static struct object *object_of(pthread_cond_t *condition)
{
    return bpor_object(condition, BPOR_CLASS_SYNC, FAMILY_CONDITION);
}

int bpor_condition_step(enum operation_kind kind, pthread_cond_t *condition, const void *attributes, const void *site)
{
    struct object *object = object_of(condition);
    struct operation *op = bpor_operation(kind, site);
    bpor_touch_object(op, object, true);
    op->argument = (int64_t)(uintptr_t)attributes;
    return bpor_step();
}

static int half_wait(enum operation_kind kind, struct object *condition, struct object *mutex, const uint64_t *deadline,
                     const void *site)
{
    struct operation *op = bpor_operation(kind, site);
    bpor_touch_object(op, condition, true);
    bpor_touch_object(op, mutex, true);
    op->timed = deadline != NULL;
    op->deadline = deadline ? *deadline : 0;
    return bpor_step();
}

int bpor_condition_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, const uint64_t *deadline, const void *site)
{
    struct object *object = object_of(condition);
    struct object *lock = bpor_object(mutex, BPOR_CLASS_SYNC, FAMILY_MUTEX);
    int error = half_wait(OP_COND_WAIT, object, lock, deadline, site);
    return error ? error : half_wait(OP_COND_WAKE, object, lock, deadline, site);
}

int bpor_condition_timed_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, int clock, const struct timespec *absolute,
                              const void *site)
{
    bpor_told_read(absolute, sizeof *absolute, site);
    if (absolute->tv_nsec < 0 || absolute->tv_nsec >= NANOSECONDS)
        return EINVAL;
    uint64_t deadline = bpor_deadline(clock, absolute);
    return bpor_condition_wait(condition, mutex, &deadline, site);
}

INTERCEPT int pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes)
{
    bpor_told_read(attributes, sizeof *attributes, CALL_SITE);
    return bpor_controlled() ? bpor_condition_step(OP_COND_INIT, condition, attributes, CALL_SITE)
                             : REAL(pthread_cond_init)(condition, attributes);
}

INTERCEPT int pthread_cond_destroy(pthread_cond_t *condition)
{
    return bpor_controlled() ? bpor_condition_step(OP_COND_DESTROY, condition, NULL, CALL_SITE)
                             : REAL(pthread_cond_destroy)(condition);
}

INTERCEPT int pthread_cond_signal(pthread_cond_t *condition)
{
    if (bpor_gil_concerns(condition))
        return bpor_gil_signal(condition);
    return bpor_controlled() ? bpor_condition_step(OP_COND_SIGNAL, condition, NULL, CALL_SITE)
                             : REAL(pthread_cond_signal)(condition);
}

INTERCEPT int pthread_cond_broadcast(pthread_cond_t *condition)
{
    return bpor_controlled() ? bpor_condition_step(OP_COND_BROADCAST, condition, NULL, CALL_SITE)
                             : REAL(pthread_cond_broadcast)(condition);
}

INTERCEPT int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    return bpor_controlled() ? bpor_condition_wait(condition, mutex, NULL, CALL_SITE) : REAL(pthread_cond_wait)(condition, mutex);
}

INTERCEPT int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *absolute)
{
    if (!bpor_controlled())
        return REAL(pthread_cond_timedwait)(condition, mutex, absolute);
    int clock = condition->__data.__wrefs & CLOCK_MONOTONIC_BIT ? CLOCK_MONOTONIC : CLOCK_REALTIME;
    return bpor_condition_timed_wait(condition, mutex, clock, absolute, CALL_SITE);
}

INTERCEPT int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                                     const struct timespec *absolute)
{
    if (!bpor_controlled())
        return REAL(pthread_cond_clockwait)(condition, mutex, clock, absolute);
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
        return EINVAL;
    return bpor_condition_timed_wait(condition, mutex, clock, absolute, CALL_SITE);
}
