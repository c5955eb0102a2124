/* pthread_spin_*: POSIX's results; the model (model/spin.c) decides when. */
#include "model/rules.h"
#include "runtime/real.h"
#include <pthread.h>

static struct operation *spin_operation(enum operation_kind kind, pthread_spinlock_t *lock, const void *site)
{
    struct object *object = bpor_object((const void *)lock, BPOR_CLASS_SYNC, FAMILY_SPIN);
    struct operation *op = bpor_operation(kind, site);
    bpor_touch_object(op, object, true);
    return op;
}

static int spin_step(enum operation_kind kind, pthread_spinlock_t *lock, const void *site)
{
    struct object *object = spin_operation(kind, lock, site)->object;
    if (bpor_spin_is_free((const void *)lock))
        object->owner = BPOR_NO_THREAD; /* free, or memory that was made a new lock without a call */
    else if (object->owner == BPOR_NO_THREAD)
        object->owner = 0; /* locked before the fork point */
    return bpor_step();
}

static int init_step(pthread_spinlock_t *lock, int shared, const void *site)
{
    spin_operation(OP_SPIN_INIT, lock, site)->argument = shared;
    return bpor_step();
}

INTERCEPT int pthread_spin_init(pthread_spinlock_t *lock, int shared)
{
    return bpor_controlled() ? init_step(lock, shared, CALL_SITE) : REAL(pthread_spin_init)(lock, shared);
}

INTERCEPT int pthread_spin_destroy(pthread_spinlock_t *lock)
{
    return bpor_controlled() ? spin_step(OP_SPIN_DESTROY, lock, CALL_SITE) : REAL(pthread_spin_destroy)(lock);
}

INTERCEPT int pthread_spin_lock(pthread_spinlock_t *lock)
{
    return bpor_controlled() ? spin_step(OP_SPIN_LOCK, lock, CALL_SITE) : REAL(pthread_spin_lock)(lock);
}

INTERCEPT int pthread_spin_trylock(pthread_spinlock_t *lock)
{
    return bpor_controlled() ? spin_step(OP_SPIN_TRYLOCK, lock, CALL_SITE) : REAL(pthread_spin_trylock)(lock);
}

INTERCEPT int pthread_spin_unlock(pthread_spinlock_t *lock)
{
    return bpor_controlled() ? spin_step(OP_SPIN_UNLOCK, lock, CALL_SITE) : REAL(pthread_spin_unlock)(lock);
}
