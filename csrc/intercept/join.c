/* Joins that do not wait for ever: pthread_tryjoin_np, pthread_timedjoin_np, pthread_clockjoin_np (model/join.c). */
#define _GNU_SOURCE
#include "intercept/told.h"
#include "model/rules.h"
#include "process/imports.h"
#include "runtime/real.h"
#include <errno.h>
#include <pthread.h>
#include <time.h>

static struct thread *target_of(pthread_t handle, const char *call)
{
    if (!bpor_imports_hasty_joins())
        bpor_refuse(call, "looked up while the program runs; link the program or a library loaded at start against it");
    struct thread *target = bpor_thread_of(handle);
    bpor_kin_named(target);
    if (target == NULL)
        bpor_misuse("join of something that is not a thread");
    if (target->detached)
        bpor_misuse("join of thread T%u, which is detached", target->id);
    if (target->joined)
        bpor_misuse("thread T%u is joined twice", target->id);
    return target;
}

static int join_step(enum operation_kind kind, struct thread *target, const uint64_t *deadline, void **value, const void *site)
{
    struct operation *op = bpor_operation(kind, site);
    op->target = target->id;
    op->timed = deadline != NULL;
    op->deadline = deadline ? *deadline : 0;
    bpor_touch_thread(op, target);
    int error = bpor_step();
    void *returned = target->value; /* to tell where it goes may be a step, after which the thread's place may be another's */
    if (error == 0)
        bpor_told_store(value, &returned, sizeof returned, site);
    return error;
}

static int timed_join(pthread_t handle, void **value, int clock, const struct timespec *absolute, const char *call,
                      const void *site)
{
    struct thread *target = target_of(handle, call);
    if (target == bpor_self)
        return EDEADLK;
    if (absolute == NULL)
        return join_step(OP_TIMEDJOIN, target, NULL, value, site);
    bpor_told_read(absolute, sizeof *absolute, site);
    if ((clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) || absolute->tv_nsec < 0 || absolute->tv_nsec >= NANOSECONDS)
        return EINVAL;
    uint64_t deadline = bpor_deadline(clock, absolute);
    return join_step(OP_TIMEDJOIN, target, &deadline, value, site);
}

INTERCEPT int pthread_tryjoin_np(pthread_t handle, void **value)
{
    if (!bpor_controlled())
        return REAL(pthread_tryjoin_np)(handle, value);
    return join_step(OP_TRYJOIN, target_of(handle, "pthread_tryjoin_np"), NULL, value, CALL_SITE);
}

INTERCEPT int pthread_timedjoin_np(pthread_t handle, void **value, const struct timespec *absolute)
{
    return bpor_controlled() ? timed_join(handle, value, CLOCK_REALTIME, absolute, "pthread_timedjoin_np", CALL_SITE)
                             : REAL(pthread_timedjoin_np)(handle, value, absolute);
}

INTERCEPT int pthread_clockjoin_np(pthread_t handle, void **value, clockid_t clock, const struct timespec *absolute)
{
    return bpor_controlled() ? timed_join(handle, value, clock, absolute, "pthread_clockjoin_np", CALL_SITE)
                             : REAL(pthread_clockjoin_np)(handle, value, clock, absolute);
}
