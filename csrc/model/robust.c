/* Robust mutexes: the next thread to lock one whose owner's thread ended gets EOWNERDEAD, and if it unlocks without having made
 * it consistent, everybody after it ENOTRECOVERABLE. libc's tries and unlocks do that by themselves on the mutex's memory; what
 * is ours is the owner's death, which the kernel would see and we park away.
 *
 * A thread's end is no step, but an end that lets others go on must be seen: MUTEX_ABANDON, only for threads that hold a robust
 * one. */
#define _GNU_SOURCE
#include "model/rules.h"
#include <linux/futex.h>
#include <pthread.h>

enum { ROBUST_BIT = 16, NOT_RECOVERABLE = INT32_MAX - 1 }; /* of __kind and __owner: glibc, nptl/pthreadP.h */

bool bpor_mutex_is_robust(const void *mutex)
{
    return ((const pthread_mutex_t *)mutex)->__data.__kind & ROBUST_BIT;
}

/* libc's own try would leave such a mutex locked. */
bool bpor_mutex_is_lost(const void *mutex)
{
    return bpor_mutex_is_robust(mutex) && ((const pthread_mutex_t *)mutex)->__data.__owner == NOT_RECOVERABLE;
}

static bool abandoned(const struct object *object)
{
    const void *mutex = (const void *)object->address;
    return object->family == FAMILY_MUTEX && object->owner == bpor_self->id && bpor_mutex_is_robust(mutex) &&
           !bpor_mutex_is_free(mutex);
}

static void touch_abandoned(struct object *object)
{
    if (abandoned(object))
        bpor_touch_object(&bpor_self->op, object, true);
}

void bpor_thread_abandon_mutexes(struct thread *thread)
{
    if (thread->robust_held == 0)
        return;
    struct operation *op = bpor_operation(OP_MUTEX_ABANDON, (const char *)thread->start + 1);
    bpor_objects_each(touch_abandoned);
    if (op->accesses > 0)
        bpor_step();
}

static void mark_dead(struct object *object)
{
    if (!abandoned(object))
        return;
    ((pthread_mutex_t *)object->address)->__data.__lock = FUTEX_OWNER_DIED;
    object->owner = BPOR_NO_THREAD;
}

void mutex_abandon_perform(struct thread *thread)
{
    thread->robust_held = 0;
    bpor_objects_each(mark_dead);
}
