/* Read-write locks. The state lies in the lock itself, changed by libc's own tries, which never block; who reads stands here,
 * because libc counts readers without knowing them.
 *
 * Readers read the object, writers write it: two readers commute. A failed trywrlock or timed wrlock stays a write, because
 * readers, who only read, change its result (erratum E23). A writer who is about to ask holds nobody back: whether a reader may
 * go on is a function of executed steps, so the search explores both. A lock that prefers writers makes the asking a step of its
 * own (glibc sets its bit for a writer before it waits for the readers): between that and the write, or the end of a wait in
 * vain, nobody else gets it, not even who reads it already. */
#define _GNU_SOURCE
#include "model/rules.h"
#include "runtime/lifetimes.h"
#include "runtime/real.h"
#include <errno.h>
#include <pthread.h>
#include <string.h>

enum { WRITER_BIT = 2, READER_SHIFT = 3 }; /* of __readers: glibc, nptl/pthread_rwlock_common.c */

struct readers {
    unsigned total;
    uint16_t announced;               /* number + 1 of the writer that others wait for; 0: nobody */
    uint16_t count[BPOR_MAX_THREADS]; /* a thread may hold it more than once */
};

enum { MAX_RWLOCKS = 4096 };
static struct readers pool[MAX_RWLOCKS];
static unsigned used;

static pthread_rwlock_t *rwlock_at(const struct object *object)
{
    return (pthread_rwlock_t *)object->address;
}

static bool is_written(const struct object *object)
{
    return rwlock_at(object)->__data.__readers & WRITER_BIT;
}

static unsigned reads(const struct object *object)
{
    return rwlock_at(object)->__data.__readers >> READER_SHIFT;
}

static bool written_by(const struct object *object, const struct thread *thread)
{
    return is_written(object) && object->owner == thread->id;
}

static struct readers *readers_of(struct object *object)
{
    if (object->readers == NULL) {
        if (used == MAX_RWLOCKS)
            bpor_end(BPOR_OUTCOME_REFUSED, 0, "more than 4096 read-write locks in one execution");
        object->readers = &pool[used++];
    }
    return object->readers;
}

unsigned bpor_rwlock_reads_held(const struct object *object, unsigned thread)
{
    return object->readers && object->family == FAMILY_RWLOCK ? object->readers->count[thread] : 0;
}

bool bpor_rwlock_prefers_writers(const void *lock)
{
    return ((const pthread_rwlock_t *)lock)->__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
}

static bool others_go_first(const struct object *object, const struct thread *thread)
{
    return object->readers->announced != 0 && object->readers->announced != thread->id + 1;
}

void bpor_rwlock_reconcile(struct object *object)
{
    struct readers *readers = readers_of(object);
    if (!is_written(object))
        object->owner = BPOR_NO_THREAD;
    else if (object->owner == BPOR_NO_THREAD)
        object->owner = 0; /* written before the fork point */
    if (reads(object) < readers->total)
        memset(readers, 0, sizeof *readers);             /* memory that was made a new lock without a call */
    readers->count[0] += reads(object) - readers->total; /* read before the fork point */
    readers->total = reads(object);
}

/* Whoever writes it and asks again gets EDEADLK at once, as from libc. */
bool rwlock_rdlock_enabled(const struct thread *thread)
{
    const struct object *object = thread->op.object;
    return (!is_written(object) && !others_go_first(object, thread)) || written_by(object, thread);
}

bool rwlock_wrlock_enabled(const struct thread *thread)
{
    const struct object *object = thread->op.object;
    return (!is_written(object) && reads(object) == 0 && !others_go_first(object, thread)) || written_by(object, thread);
}

bool rwlock_announce_enabled(const struct thread *thread)
{
    const struct object *object = thread->op.object;
    return (!is_written(object) && object->readers->announced == 0) || written_by(object, thread);
}

static void not_taken(struct thread *thread)
{
    struct operation *op = &thread->op;
    if (op->timed) {
        bpor_time_out(thread);
    } else {
        bpor_mark_failed(thread);
        thread->result = EBUSY;
    }
}

static bool asks_again(struct thread *thread)
{
    if (!written_by(thread->op.object, thread) || !(bpor_properties(thread->op.kind) & BLOCKS))
        return false;
    thread->result = EDEADLK;
    return true;
}

void rwlock_rdlock_perform(struct thread *thread)
{
    struct object *object = thread->op.object;
    if (asks_again(thread))
        return;
    int error = others_go_first(object, thread) ? EBUSY : REAL(pthread_rwlock_tryrdlock)(rwlock_at(object));
    if (error == EBUSY) {
        not_taken(thread);
        return;
    }
    thread->result = error;
    if (error == 0) {
        object->readers->count[thread->id]++;
        object->readers->total++;
    }
}

void rwlock_wrlock_perform(struct thread *thread)
{
    struct object *object = thread->op.object;
    if (asks_again(thread))
        return;
    if (others_go_first(object, thread) || REAL(pthread_rwlock_trywrlock)(rwlock_at(object)) != 0) {
        not_taken(thread);
        return;
    }
    object->owner = thread->id;
    object->readers->announced = 0;
}

void rwlock_announce_perform(struct thread *thread)
{
    struct object *object = thread->op.object;
    if (written_by(object, thread))
        thread->result = EDEADLK;
    else if (is_written(object) || object->readers->announced != 0)
        not_taken(thread);
    else
        object->readers->announced = (uint16_t)(thread->id + 1);
}

void rwlock_withdraw_perform(struct thread *thread)
{
    thread->op.object->readers->announced = 0;
    thread->result = ETIMEDOUT;
}

void rwlock_unlock_perform(struct thread *thread)
{
    struct object *object = thread->op.object;
    if (written_by(object, thread)) {
        object->owner = BPOR_NO_THREAD;
    } else if (object->readers->count[thread->id] > 0) {
        object->readers->count[thread->id]--;
        object->readers->total--;
    } else {
        if (is_written(object) || reads(object) > 0)
            bpor_misuse("unlock of a read-write lock that T%u does not hold", thread->id);
        else
            bpor_misuse("unlock of a read-write lock that is not locked");
        return;
    }
    thread->result = REAL(pthread_rwlock_unlock)(rwlock_at(object));
}

void rwlock_init_perform(struct thread *thread)
{
    struct operation *op = &thread->op;
    memset(readers_of(op->object), 0, sizeof(struct readers));
    op->object->owner = BPOR_NO_THREAD;
    thread->result = REAL(pthread_rwlock_init)(rwlock_at(op->object), (const pthread_rwlockattr_t *)(uintptr_t)op->argument);
}

void rwlock_destroy_perform(struct thread *thread)
{
    struct object *object = thread->op.object;
    if (is_written(object)) {
        bpor_misuse("destroy of a read-write lock that T%u holds for writing", object->owner);
    } else if (reads(object) > 0) {
        bpor_misuse("destroy of a read-write lock that is held for reading");
    } else {
        thread->result = REAL(pthread_rwlock_destroy)(rwlock_at(object));
        bpor_lifetime_destroyed(thread, sizeof(pthread_rwlock_t));
    }
}
