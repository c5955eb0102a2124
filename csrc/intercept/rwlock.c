/* pthread_rwlock_*: POSIX's results; the model (model/rwlock.c) decides when. */
#define _GNU_SOURCE
#include "intercept/told.h"
#include "model/rules.h"
#include "runtime/real.h"
#include <errno.h>
#include <pthread.h>
#include <time.h>

static struct operation *rwlock_operation(enum operation_kind kind, pthread_rwlock_t *lock, bool write, const void *site)
{
    struct object *object = bpor_object(lock, BPOR_CLASS_SYNC, FAMILY_RWLOCK);
    bpor_rwlock_reconcile(object);
    struct operation *op = bpor_operation(kind, site);
    bpor_touch_object(op, object, write);
    return op;
}

static int rwlock_step(enum operation_kind kind, pthread_rwlock_t *lock, bool write, const void *site)
{
    rwlock_operation(kind, lock, write, site);
    return bpor_step();
}

static int init_step(pthread_rwlock_t *lock, const pthread_rwlockattr_t *attributes, const void *site)
{
    /* The memory may hold anything before it is a lock. */
    struct object *object = bpor_object(lock, BPOR_CLASS_SYNC, FAMILY_RWLOCK);
    struct operation *op = bpor_operation(OP_RWLOCK_INIT, site);
    bpor_touch_object(op, object, true);
    op->argument = (int64_t)(uintptr_t)attributes;
    return bpor_step();
}

/* Only its holder can take part in this: whether it reads or writes is known when the call is made. */
static int unlock_step(pthread_rwlock_t *lock, const void *site)
{
    struct operation *op = rwlock_operation(OP_RWLOCK_UNLOCK, lock, true, site);
    op->access[0].write = bpor_rwlock_reads_held(op->object, bpor_self->id) == 0;
    return bpor_step();
}

/* A lock that prefers writers is asked for first, which is a step of its own: model/rwlock.c. */
static int write_step(pthread_rwlock_t *lock, const void *site)
{
    int error = bpor_rwlock_prefers_writers(lock) ? rwlock_step(OP_RWLOCK_ANNOUNCE, lock, true, site) : 0;
    return error ? error : rwlock_step(OP_RWLOCK_WRLOCK, lock, true, site);
}

static int until(enum operation_kind kind, pthread_rwlock_t *lock, uint64_t deadline, const void *site)
{
    struct operation *op = rwlock_operation(kind, lock, kind != OP_RWLOCK_TIMEDRDLOCK, site);
    op->timed = true;
    op->deadline = deadline;
    return bpor_step();
}

static int write_until(pthread_rwlock_t *lock, uint64_t deadline, const void *site)
{
    bool prefers_writers = bpor_rwlock_prefers_writers(lock);
    int error = prefers_writers ? until(OP_RWLOCK_ANNOUNCE, lock, deadline, site) : 0;
    if (error)
        return error;
    error = until(OP_RWLOCK_TIMEDWRLOCK, lock, deadline, site);
    return error && prefers_writers ? rwlock_step(OP_RWLOCK_WITHDRAW, lock, true, site) : error;
}

static int timed_step(enum operation_kind kind, pthread_rwlock_t *lock, int clock, const struct timespec *deadline,
                      const void *site)
{
    bpor_told_read(deadline, sizeof *deadline, site);
    if ((clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) || deadline->tv_nsec < 0 || deadline->tv_nsec >= NANOSECONDS)
        return EINVAL;
    uint64_t until_then = bpor_deadline(clock, deadline);
    return kind == OP_RWLOCK_TIMEDWRLOCK ? write_until(lock, until_then, site) : until(kind, lock, until_then, site);
}

INTERCEPT int pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *attributes)
{
    bpor_told_read(attributes, sizeof *attributes, CALL_SITE);
    return bpor_controlled() ? init_step(lock, attributes, CALL_SITE) : REAL(pthread_rwlock_init)(lock, attributes);
}

INTERCEPT int pthread_rwlock_destroy(pthread_rwlock_t *lock)
{
    return bpor_controlled() ? rwlock_step(OP_RWLOCK_DESTROY, lock, true, CALL_SITE) : REAL(pthread_rwlock_destroy)(lock);
}

INTERCEPT int pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
    return bpor_controlled() ? rwlock_step(OP_RWLOCK_RDLOCK, lock, false, CALL_SITE) : REAL(pthread_rwlock_rdlock)(lock);
}

INTERCEPT int pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
    return bpor_controlled() ? write_step(lock, CALL_SITE) : REAL(pthread_rwlock_wrlock)(lock);
}

INTERCEPT int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock)
{
    return bpor_controlled() ? rwlock_step(OP_RWLOCK_TRYRDLOCK, lock, false, CALL_SITE) : REAL(pthread_rwlock_tryrdlock)(lock);
}

INTERCEPT int pthread_rwlock_trywrlock(pthread_rwlock_t *lock)
{
    return bpor_controlled() ? rwlock_step(OP_RWLOCK_TRYWRLOCK, lock, true, CALL_SITE) : REAL(pthread_rwlock_trywrlock)(lock);
}

INTERCEPT int pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
    return bpor_controlled() ? unlock_step(lock, CALL_SITE) : REAL(pthread_rwlock_unlock)(lock);
}

INTERCEPT int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *deadline)
{
    return bpor_controlled() ? timed_step(OP_RWLOCK_TIMEDRDLOCK, lock, CLOCK_REALTIME, deadline, CALL_SITE)
                             : REAL(pthread_rwlock_timedrdlock)(lock, deadline);
}

INTERCEPT int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *deadline)
{
    return bpor_controlled() ? timed_step(OP_RWLOCK_TIMEDWRLOCK, lock, CLOCK_REALTIME, deadline, CALL_SITE)
                             : REAL(pthread_rwlock_timedwrlock)(lock, deadline);
}

INTERCEPT int pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *deadline)
{
    return bpor_controlled() ? timed_step(OP_RWLOCK_TIMEDRDLOCK, lock, clock, deadline, CALL_SITE)
                             : REAL(pthread_rwlock_clockrdlock)(lock, clock, deadline);
}

INTERCEPT int pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *deadline)
{
    return bpor_controlled() ? timed_step(OP_RWLOCK_TIMEDWRLOCK, lock, clock, deadline, CALL_SITE)
                             : REAL(pthread_rwlock_clockwrlock)(lock, clock, deadline);
}

OLD_NAME(pthread_rwlock_init);
OLD_NAME(pthread_rwlock_destroy);
OLD_NAME(pthread_rwlock_rdlock);
OLD_NAME(pthread_rwlock_wrlock);
OLD_NAME(pthread_rwlock_tryrdlock);
OLD_NAME(pthread_rwlock_trywrlock);
OLD_NAME(pthread_rwlock_unlock);
