/* pthread_mutex_consistent: concerns only the thread that holds the mutex, so it is no step. */
#define _GNU_SOURCE
#include "model/rules.h"
#include "runtime/real.h"
#include <errno.h>
#include <pthread.h>

static void check_holder(pthread_mutex_t *mutex)
{
    const struct object *object = bpor_object_known(mutex, BPOR_CLASS_SYNC);
    if (object && bpor_mutex_is_robust(mutex) && !bpor_mutex_is_free(mutex) && object->owner != bpor_self->id)
        bpor_misuse("pthread_mutex_consistent by T%u for a mutex that T%u holds", bpor_self->id, object->owner);
}

INTERCEPT int pthread_mutex_consistent(pthread_mutex_t *mutex)
{
    if (bpor_controlled())
        check_holder(mutex);
    return REAL(pthread_mutex_consistent)(mutex);
}

/* The name it had before POSIX took it over; the header already redirects it. */
INTERCEPT int consistent_np(pthread_mutex_t *mutex) __asm__("pthread_mutex_consistent_np")
    __attribute__((copy(pthread_mutex_consistent), alias("pthread_mutex_consistent")));
