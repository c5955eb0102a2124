/* Spin locks: a lock whose waiters are blocked here and spin nowhere. The state lies in the lock, as libc keeps it on x86: 1 when
 * free. There is no static initialiser, so a lock that was never initialised looks locked. */
#include "model/rules.h"
#include "runtime/lifetimes.h"
#include "runtime/real.h"
#include <errno.h>
#include <pthread.h>

static pthread_spinlock_t *lock_of(const struct thread *thread)
{
    return (pthread_spinlock_t *)thread->op.object->address;
}

bool bpor_spin_is_free(const void *lock)
{
    return *(const volatile int *)lock == 1;
}

bool spin_lock_enabled(const struct thread *thread)
{
    return bpor_spin_is_free((const void *)lock_of(thread));
}

/* Also for trylock: a failed one was a read, because only an unlock, a write, could have changed its answer. */
void spin_lock_perform(struct thread *thread)
{
    struct operation *op = &thread->op;
    thread->result = REAL(pthread_spin_trylock)(lock_of(thread));
    if (thread->result == 0) {
        op->object->owner = thread->id;
    } else {
        op->access[0].write = 0;
        bpor_mark_failed(thread);
    }
}

void spin_unlock_perform(struct thread *thread)
{
    struct object *object = thread->op.object;
    if (bpor_spin_is_free((const void *)lock_of(thread))) {
        bpor_misuse("unlock of a spin lock that is not locked");
        return;
    }
    if (object->owner != thread->id) {
        bpor_misuse("unlock of a spin lock that T%u holds, not T%u", object->owner, thread->id);
        return;
    }
    thread->result = REAL(pthread_spin_unlock)(lock_of(thread));
    object->owner = BPOR_NO_THREAD;
}

void spin_init_perform(struct thread *thread)
{
    thread->op.object->owner = BPOR_NO_THREAD;
    thread->result = REAL(pthread_spin_init)(lock_of(thread), (int)thread->op.argument);
}

void spin_destroy_perform(struct thread *thread)
{
    const struct object *object = thread->op.object;
    if (object->owner != BPOR_NO_THREAD) {
        bpor_misuse("destroy of a spin lock that T%u holds", object->owner);
        return;
    }
    thread->result = REAL(pthread_spin_destroy)(lock_of(thread));
    bpor_lifetime_destroyed(thread, sizeof(pthread_spinlock_t));
}
