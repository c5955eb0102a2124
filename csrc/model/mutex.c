/* Mutexes. The truth lies in the mutex itself: libc's own lock word, owner and count, read before and changed by the real,
 * never-blocking operation. So static initialisers, all types, re-used and copied memory need nothing of us. */
#define _GNU_SOURCE
#include "model/rules.h"
#include "runtime/lifetimes.h"
#include "runtime/real.h"
#include <errno.h>
#include <pthread.h>

enum { TYPE_MASK = 3, HOLDER_MASK = 0x3fffffff }; /* of __lock, without the mark that a robust mutex's owner died */

static pthread_mutex_t *mutex_at(const struct object *object)
{
    return (pthread_mutex_t *)object->address;
}

static int type_of(const pthread_mutex_t *mutex)
{
    return mutex->__data.__kind & TYPE_MASK;
}

bool bpor_mutex_is_free(const void *mutex)
{
    return (((const pthread_mutex_t *)mutex)->__data.__lock & HOLDER_MASK) == 0;
}

static bool held_by(const struct object *object, const struct thread *thread)
{
    return !bpor_mutex_is_free(mutex_at(object)) && object->owner == thread->id;
}

/* Types whose owner may call lock again and gets an answer. */
static bool locks_again(const pthread_mutex_t *mutex)
{
    int type = type_of(mutex);
    return type == PTHREAD_MUTEX_RECURSIVE || type == PTHREAD_MUTEX_ERRORCHECK;
}

/* Another thread's hold blocks; one's own is decided by the type: a normal mutex deadlocks with itself. */
bool mutex_lock_enabled(const struct thread *thread)
{
    const struct object *object = thread->op.object;
    const pthread_mutex_t *mutex = mutex_at(object);
    if (bpor_mutex_is_free(mutex))
        return true;
    return held_by(object, thread) && locks_again(mutex);
}

int bpor_mutex_take(struct thread *thread, struct object *object)
{
    pthread_mutex_t *mutex = mutex_at(object);
    if (bpor_mutex_is_lost(mutex))
        return ENOTRECOVERABLE;
    int error = REAL(pthread_mutex_trylock)(mutex);
    if (error == 0 || error == EOWNERDEAD) {
        object->owner = thread->id;
        thread->robust_held += bpor_mutex_is_robust(mutex);
    }
    return error;
}

int bpor_mutex_give(struct thread *thread, struct object *object)
{
    pthread_mutex_t *mutex = mutex_at(object);
    if (!held_by(object, thread)) {
        if (locks_again(mutex) || bpor_mutex_is_robust(mutex))
            return EPERM;
        if (bpor_mutex_is_free(mutex))
            bpor_misuse("unlock of a mutex that is not locked");
        else
            bpor_misuse("unlock of a mutex that T%u holds, not T%u", object->owner, thread->id);
        return EPERM;
    }
    int error = REAL(pthread_mutex_unlock)(mutex);
    if (bpor_mutex_is_free(mutex)) {
        object->owner = BPOR_NO_THREAD;
        thread->robust_held -= thread->robust_held > 0 && bpor_mutex_is_robust(mutex);
    }
    return error;
}

static void lock_again(struct thread *thread, struct object *object)
{
    if (type_of(mutex_at(object)) == PTHREAD_MUTEX_ERRORCHECK) {
        thread->result = EDEADLK;
        return;
    }
    /* A recursive lock by its owner concerns nobody else. */
    thread->result = REAL(pthread_mutex_trylock)(mutex_at(object));
    thread->op.accesses = 0;
}

void mutex_lock_perform(struct thread *thread)
{
    struct operation *op = &thread->op;
    if (held_by(op->object, thread) && locks_again(mutex_at(op->object))) {
        lock_again(thread, op->object);
    } else if (bpor_mutex_is_free(mutex_at(op->object))) {
        thread->result = bpor_mutex_take(thread, op->object);
    } else {
        /* Timed out. The outcome would have been another only after an unlock, which writes the mutex: a read. */
        op->access[0].write = 0;
        bpor_time_out(thread);
    }
}

void mutex_trylock_perform(struct thread *thread)
{
    struct operation *op = &thread->op;
    if (held_by(op->object, thread) && type_of(mutex_at(op->object)) == PTHREAD_MUTEX_RECURSIVE) {
        lock_again(thread, op->object);
        return;
    }
    thread->result = bpor_mutex_take(thread, op->object);
    if (thread->result == EBUSY) {
        op->access[0].write = 0;
        bpor_mark_failed(thread);
    }
}

void mutex_unlock_perform(struct thread *thread)
{
    struct object *object = thread->op.object;
    bool recursive = type_of(mutex_at(object)) == PTHREAD_MUTEX_RECURSIVE;
    thread->result = bpor_mutex_give(thread, object);
    if (recursive && object->owner == thread->id)
        thread->op.accesses = 0; /* an inner unlock concerns nobody else */
}

void mutex_init_perform(struct thread *thread)
{
    struct operation *op = &thread->op;
    op->object->owner = BPOR_NO_THREAD;
    thread->result = REAL(pthread_mutex_init)(mutex_at(op->object), (const pthread_mutexattr_t *)(uintptr_t)op->argument);
}

void mutex_destroy_perform(struct thread *thread)
{
    struct object *object = thread->op.object;
    if (!bpor_mutex_is_free(mutex_at(object))) {
        if (object->owner == BPOR_NO_THREAD)
            bpor_misuse("destroy of a locked mutex");
        else
            bpor_misuse("destroy of a mutex that T%u holds", object->owner);
        return;
    }
    thread->result = REAL(pthread_mutex_destroy)(mutex_at(object));
    bpor_lifetime_destroyed(thread, sizeof(pthread_mutex_t));
}
