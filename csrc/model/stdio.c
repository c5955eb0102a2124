/* Streams. Every stdio call locks its stream inside libc, where nobody can interpose; the lock word and its owner lie in the
 * stream and are read there. So a call that would block in libc waits here instead, and is made when it cannot. */
#define _GNU_SOURCE
#include "model/rules.h"
#include "runtime/real.h"
#include <errno.h>
#include <stdio.h>

struct stream_lock { /* libc's _IO_lock_t */
    int lock;
    int count;
    void *owner;
};

static FILE *stream_at(const struct thread *thread)
{
    return (FILE *)thread->op.object->address;
}

static const struct stream_lock *lock_of(const struct thread *thread)
{
    return (const struct stream_lock *)stream_at(thread)->_lock;
}

bool stdio_enabled(const struct thread *thread)
{
    const struct stream_lock *lock = lock_of(thread);
    return lock == NULL || lock->lock == 0 || lock->owner == (void *)thread->handle;
}

static bool held_by(const struct thread *thread)
{
    return lock_of(thread)->lock != 0 && lock_of(thread)->owner == (void *)thread->handle;
}

void stdio_lock_perform(struct thread *thread)
{
    bool again = held_by(thread);
    REAL(flockfile)(stream_at(thread));
    thread->op.object->owner = thread->id;
    if (again)
        thread->op.accesses = 0; /* concerns nobody else */
}

void stdio_trylock_perform(struct thread *thread)
{
    bool again = held_by(thread);
    thread->result = REAL(ftrylockfile)(stream_at(thread));
    if (thread->result != 0) {
        thread->op.access[0].write = 0;
        bpor_mark_failed(thread);
        return;
    }
    thread->op.object->owner = thread->id;
    if (again)
        thread->op.accesses = 0;
}

void stdio_unlock_perform(struct thread *thread)
{
    if (!held_by(thread)) {
        bpor_misuse("funlockfile of a stream that T%u has not locked", thread->id);
        return;
    }
    REAL(funlockfile)(stream_at(thread));
    if (held_by(thread))
        thread->op.accesses = 0;
    else
        thread->op.object->owner = BPOR_NO_THREAD;
}
