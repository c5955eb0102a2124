/* pthread_mutex_*: POSIX's results; the model (model/mutex.c) decides when. */
#define _GNU_SOURCE
#include "intercept/steps.h"
#include "intercept/told.h"
#include "model/rules.h"
#include "python/gil.h"
#include "runtime/lifetimes.h"
#include "runtime/real.h"
#include <errno.h>
#include <pthread.h>
#include <time.h>

static struct object *object_of(pthread_mutex_t *mutex)
{
    struct object *object = bpor_object(mutex, BPOR_CLASS_SYNC, FAMILY_MUTEX);
    bool held = !bpor_mutex_is_free(mutex);
    if (held && object->owner == BPOR_NO_THREAD)
        object->owner = 0; /* locked before the fork point */
    if (!held)
        object->owner = BPOR_NO_THREAD; /* free, or memory that was made a new mutex without a call */
    bpor_lifetime_recognise(object);
    return object;
}

int bpor_mutex_step(enum operation_kind kind, pthread_mutex_t *mutex, const void *attributes, const void *site)
{
    struct object *object = object_of(mutex);
    struct operation *op = bpor_operation(kind, site);
    bpor_touch_object(op, object, true);
    op->argument = (int64_t)(uintptr_t)attributes;
    return bpor_step();
}

int bpor_mutex_timed_step(pthread_mutex_t *mutex, int clock, const struct timespec *deadline, const void *site)
{
    bpor_told_read(deadline, sizeof *deadline, site);
    if (deadline->tv_nsec < 0 || deadline->tv_nsec >= NANOSECONDS)
        return EINVAL;
    struct object *object = object_of(mutex);
    struct operation *op = bpor_operation(OP_MUTEX_TIMEDLOCK, site);
    bpor_touch_object(op, object, true);
    op->timed = true;
    op->deadline = bpor_deadline(clock, deadline);
    return bpor_step();
}

INTERCEPT int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)
{
    bpor_told_read(attributes, sizeof *attributes, CALL_SITE);
    return bpor_controlled() ? bpor_mutex_step(OP_MUTEX_INIT, mutex, attributes, CALL_SITE)
                             : REAL(pthread_mutex_init)(mutex, attributes);
}

INTERCEPT int pthread_mutex_destroy(pthread_mutex_t *mutex)
{
    return bpor_controlled() ? bpor_mutex_step(OP_MUTEX_DESTROY, mutex, NULL, CALL_SITE) : REAL(pthread_mutex_destroy)(mutex);
}

INTERCEPT int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    if (bpor_gil_concerns(mutex))
        return bpor_gil_lock(mutex, CALL_SITE);
    return bpor_controlled() ? bpor_mutex_step(OP_MUTEX_LOCK, mutex, NULL, CALL_SITE) : REAL(pthread_mutex_lock)(mutex);
}

INTERCEPT int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
    return bpor_controlled() ? bpor_mutex_step(OP_MUTEX_TRYLOCK, mutex, NULL, CALL_SITE) : REAL(pthread_mutex_trylock)(mutex);
}

INTERCEPT int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    if (bpor_gil_concerns(mutex))
        return bpor_gil_unlock(mutex, CALL_SITE);
    return bpor_controlled() ? bpor_mutex_step(OP_MUTEX_UNLOCK, mutex, NULL, CALL_SITE) : REAL(pthread_mutex_unlock)(mutex);
}

INTERCEPT int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *deadline)
{
    return bpor_controlled() ? bpor_mutex_timed_step(mutex, CLOCK_REALTIME, deadline, CALL_SITE)
                             : REAL(pthread_mutex_timedlock)(mutex, deadline);
}

INTERCEPT int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *deadline)
{
    if (!bpor_controlled())
        return REAL(pthread_mutex_clocklock)(mutex, clock, deadline);
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
        return EINVAL;
    return bpor_mutex_timed_step(mutex, clock, deadline, CALL_SITE);
}

OLD_NAME(pthread_mutex_init);
OLD_NAME(pthread_mutex_destroy);
OLD_NAME(pthread_mutex_lock);
OLD_NAME(pthread_mutex_trylock);
OLD_NAME(pthread_mutex_unlock);
