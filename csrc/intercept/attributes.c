/* Attributes of threads and of what they synchronise with are plain objects of the program, which libc's functions read and
 * write: one that two threads share is accessed as a variable is. Setting a part of one is a write of all of it, since parts
 * share bits. */
#define _GNU_SOURCE
#include "intercept/told.h"
#include "runtime/real.h"
#include <pthread.h>
#include <sched.h>
#include <signal.h>

#define SETS(name, type, parameters, arguments)                                                                                  \
    INTERCEPT int name parameters                                                                                                \
    {                                                                                                                            \
        bpor_told_fill(attributes, sizeof(type), CALL_SITE);                                                                     \
        return REAL(name) arguments;                                                                                             \
    }
#define SETS_ONE(name, type, value_type) SETS(name, type, (type * attributes, value_type value), (attributes, value))
#define WHOLE(type, prefix)                                                                                                      \
    SETS(prefix##_init, type, (type * attributes), (attributes))                                                                 \
    SETS(prefix##_destroy, type, (type * attributes), (attributes))

#define GETS(name, type, value_type)                                                                                             \
    INTERCEPT int name(const type *restrict attributes, value_type *restrict value)                                              \
    {                                                                                                                            \
        bpor_told_room(value, sizeof *value, CALL_SITE);                                                                         \
        bpor_told_read(attributes, sizeof *attributes, CALL_SITE);                                                               \
        int error = REAL(name)(attributes, value);                                                                               \
        bpor_told_write(value, error ? 0 : (ssize_t)sizeof *value, CALL_SITE);                                                   \
        return error;                                                                                                            \
    }
#define PART(type, prefix, part, value_type)                                                                                     \
    GETS(prefix##_get##part, type, value_type)                                                                                   \
    SETS_ONE(prefix##_set##part, type, value_type)

WHOLE(pthread_attr_t, pthread_attr)
PART(pthread_attr_t, pthread_attr, detachstate, int)
PART(pthread_attr_t, pthread_attr, guardsize, size_t)
PART(pthread_attr_t, pthread_attr, inheritsched, int)
PART(pthread_attr_t, pthread_attr, schedpolicy, int)
PART(pthread_attr_t, pthread_attr, scope, int)
PART(pthread_attr_t, pthread_attr, stacksize, size_t)
GETS(pthread_attr_getschedparam, pthread_attr_t, struct sched_param)
SETS(pthread_attr_setschedparam, pthread_attr_t, (pthread_attr_t *restrict attributes, const struct sched_param *restrict value),
     (attributes, value))
SETS(pthread_attr_setstack, pthread_attr_t, (pthread_attr_t * attributes, void *low, size_t bytes), (attributes, low, bytes))
SETS(pthread_attr_setaffinity_np, pthread_attr_t, (pthread_attr_t * attributes, size_t bytes, const cpu_set_t *processors),
     (attributes, bytes, processors))
SETS(pthread_attr_setsigmask_np, pthread_attr_t, (pthread_attr_t * attributes, const sigset_t *mask), (attributes, mask))

GETS(pthread_attr_getsigmask_np, pthread_attr_t, sigset_t)
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
PART(pthread_attr_t, pthread_attr, stackaddr, void *)

INTERCEPT int pthread_attr_getaffinity_np(const pthread_attr_t *attributes, size_t bytes, cpu_set_t *processors)
{
    bpor_told_read(attributes, sizeof *attributes, CALL_SITE);
    return REAL(pthread_attr_getaffinity_np)(attributes, bytes, processors);
}

INTERCEPT int pthread_attr_getstack(const pthread_attr_t *restrict attributes, void **restrict low, size_t *restrict bytes)
{
    bpor_told_read(attributes, sizeof *attributes, CALL_SITE);
    return REAL(pthread_attr_getstack)(attributes, low, bytes);
}

WHOLE(pthread_mutexattr_t, pthread_mutexattr)
PART(pthread_mutexattr_t, pthread_mutexattr, type, int)
PART(pthread_mutexattr_t, pthread_mutexattr, pshared, int)
PART(pthread_mutexattr_t, pthread_mutexattr, protocol, int)
PART(pthread_mutexattr_t, pthread_mutexattr, prioceiling, int)
PART(pthread_mutexattr_t, pthread_mutexattr, robust, int)
int pthread_mutexattr_getkind_np(const pthread_mutexattr_t *restrict attributes, int *restrict value);
int pthread_mutexattr_setkind_np(pthread_mutexattr_t *attributes, int value);
PART(pthread_mutexattr_t, pthread_mutexattr, kind_np, int)

WHOLE(pthread_condattr_t, pthread_condattr)
PART(pthread_condattr_t, pthread_condattr, clock, clockid_t)
PART(pthread_condattr_t, pthread_condattr, pshared, int)

WHOLE(pthread_rwlockattr_t, pthread_rwlockattr)
PART(pthread_rwlockattr_t, pthread_rwlockattr, pshared, int)
PART(pthread_rwlockattr_t, pthread_rwlockattr, kind_np, int)

WHOLE(pthread_barrierattr_t, pthread_barrierattr)
PART(pthread_barrierattr_t, pthread_barrierattr, pshared, int)
