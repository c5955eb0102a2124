/* pthread_barrier_*: a wait is two steps, BARRIER_ARRIVE and BARRIER_LEAVE (model/barrier.c). */
#include "intercept/told.h"
#include "model/rules.h"
#include "runtime/real.h"
#include <pthread.h>

static struct operation *whole(enum operation_kind kind, struct object *object, const void *site)
{
    struct operation *op = bpor_operation(kind, site);
    bpor_touch_object(op, object, true);
    return op;
}

static struct object *object_of(pthread_barrier_t *barrier)
{
    return bpor_object(barrier, BPOR_CLASS_SYNC, FAMILY_BARRIER);
}

static int wait(pthread_barrier_t *barrier, const void *site)
{
    struct object *object = object_of(barrier);
    struct operation *op = bpor_operation(OP_BARRIER_ARRIVE, site);
    bpor_barrier_touch(op, object, 0);
    int serial = bpor_step();
    int64_t round = op->argument;
    op = bpor_operation(OP_BARRIER_LEAVE, site);
    op->argument = round;
    bpor_barrier_touch(op, object, round);
    bpor_step();
    return serial;
}

static int init_step(pthread_barrier_t *barrier, const pthread_barrierattr_t *attributes, unsigned count, const void *site)
{
    struct operation *op = whole(OP_BARRIER_INIT, object_of(barrier), site);
    op->argument = (int64_t)(uintptr_t)attributes;
    op->value = count;
    return bpor_step();
}

static int destroy_step(pthread_barrier_t *barrier, const void *site)
{
    whole(OP_BARRIER_DESTROY, object_of(barrier), site);
    return bpor_step();
}

INTERCEPT int pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attributes, unsigned count)
{
    bpor_told_read(attributes, sizeof *attributes, CALL_SITE);
    return bpor_controlled() ? init_step(barrier, attributes, count, CALL_SITE)
                             : REAL(pthread_barrier_init)(barrier, attributes, count);
}

INTERCEPT int pthread_barrier_destroy(pthread_barrier_t *barrier)
{
    return bpor_controlled() ? destroy_step(barrier, CALL_SITE) : REAL(pthread_barrier_destroy)(barrier);
}

INTERCEPT int pthread_barrier_wait(pthread_barrier_t *barrier)
{
    return bpor_controlled() ? wait(barrier, CALL_SITE) : REAL(pthread_barrier_wait)(barrier);
}
