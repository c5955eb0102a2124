/* sem_*: semaphores, unnamed or opened by name (model/semaphore.c). These functions answer with -1 and errno. */
#define _GNU_SOURCE
#include "intercept/told.h"
#include "loops/circle.h"
#include "model/named_semaphore.h"
#include "model/rules.h"
#include "python/gil.h"
#include "python/objects.h"
#include "runtime/injection.h"
#include "runtime/real.h"
#include <errno.h>
#include <semaphore.h>
#include <time.h>

static struct operation *semaphore_operation(enum operation_kind kind, sem_t *semaphore, bool write, const void *site)
{
    struct object *object = bpor_semaphore_object(semaphore);
    struct operation *op = bpor_operation(kind, site);
    bpor_touch_object(op, object, write);
    return op;
}

static int finish(void)
{
    int error = bpor_step();
    if (error == 0)
        return 0;
    errno = error;
    return -1;
}

/* A lock of the interpreter reads the clock before each wait, with a deadline or without: that is not a thread that waits for
 * time to pass (time.c). */
static void forget_clock_read(const void *site)
{
    if (bpor_gil.mutex && bpor_self->clock_reads && bpor_python_calls(site)) {
        bpor_self->clock_reads--;
        bpor_circle_excuse(bpor_self);
    }
}

static int wait_step(enum operation_kind kind, sem_t *semaphore, const void *site)
{
    forget_clock_read(site);
    if (kind == OP_SEM_WAIT && bpor_interrupted(BPOR_CALL_SEM_WAIT, site))
        return -1;
    semaphore_operation(kind, semaphore, true, site);
    return finish();
}

static int semaphore_step(enum operation_kind kind, sem_t *semaphore, unsigned value, const void *site)
{
    semaphore_operation(kind, semaphore, true, site)->argument = value;
    return finish();
}

static int timed_wait(sem_t *semaphore, int clock, const struct timespec *deadline, const void *site)
{
    bpor_told_read(deadline, sizeof *deadline, site);
    if (deadline->tv_nsec < 0 || deadline->tv_nsec >= NANOSECONDS) {
        errno = EINVAL;
        return -1;
    }
    forget_clock_read(site);
    if (bpor_interrupted(BPOR_CALL_SEM_WAIT, site))
        return -1;
    struct operation *op = semaphore_operation(OP_SEM_TIMEDWAIT, semaphore, true, site);
    op->timed = true;
    op->deadline = bpor_deadline(clock, deadline);
    return finish();
}

INTERCEPT int sem_init(sem_t *semaphore, int shared, unsigned value)
{
    if (!bpor_controlled())
        return REAL(sem_init)(semaphore, shared, value);
    return semaphore_step(OP_SEM_INIT, semaphore, value, CALL_SITE);
}

INTERCEPT int sem_destroy(sem_t *semaphore)
{
    return bpor_controlled() ? semaphore_step(OP_SEM_DESTROY, semaphore, 0, CALL_SITE) : REAL(sem_destroy)(semaphore);
}

INTERCEPT int sem_wait(sem_t *semaphore)
{
    return bpor_controlled() ? wait_step(OP_SEM_WAIT, semaphore, CALL_SITE) : REAL(sem_wait)(semaphore);
}

INTERCEPT int sem_trywait(sem_t *semaphore)
{
    return bpor_controlled() ? wait_step(OP_SEM_TRYWAIT, semaphore, CALL_SITE) : REAL(sem_trywait)(semaphore);
}

INTERCEPT int sem_timedwait(sem_t *semaphore, const struct timespec *deadline)
{
    return bpor_controlled() ? timed_wait(semaphore, CLOCK_REALTIME, deadline, CALL_SITE)
                             : REAL(sem_timedwait)(semaphore, deadline);
}

INTERCEPT int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *deadline)
{
    if (!bpor_controlled())
        return REAL(sem_clockwait)(semaphore, clock, deadline);
    if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) {
        errno = EINVAL;
        return -1;
    }
    return timed_wait(semaphore, clock, deadline, CALL_SITE);
}

INTERCEPT int sem_post(sem_t *semaphore)
{
    return bpor_controlled() ? semaphore_step(OP_SEM_POST, semaphore, 0, CALL_SITE) : REAL(sem_post)(semaphore);
}

INTERCEPT int sem_getvalue(sem_t *semaphore, int *value)
{
    if (!bpor_controlled())
        return REAL(sem_getvalue)(semaphore, value);
    struct operation *op = semaphore_operation(OP_SEM_GETVALUE, semaphore, false, CALL_SITE);
    int result = finish(), found = (int)op->value; /* the next step has the same place for its operation */
    bpor_told_store(value, &found, sizeof found, CALL_SITE);
    return result;
}
