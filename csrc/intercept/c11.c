/* C11 threads: the same operations as their pthread namesakes, with C11's results. libc's own do not go through the names we
 * intercept. Its types are pthread types under another name. */
#define _GNU_SOURCE
#include "carrier/destructors.h"
#include "intercept/steps.h"
#include "intercept/told.h"
#include "process/process_state.h"
#include "runtime/real.h"
#include "runtime/runtime.h"
#include "runtime/start.h"
#include <errno.h>
#include <pthread.h>
#include <threads.h>
#include <time.h>

_Static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t) && sizeof(cnd_t) == sizeof(pthread_cond_t), "the same objects");

enum { SLEEP_FAILED = -2 }; /* any negative number but -1, which means interrupted */

static int c11(int error)
{
    switch (error) {
    case 0:
        return thrd_success;
    case ENOMEM:
        return thrd_nomem;
    case ETIMEDOUT:
        return thrd_timedout;
    case EBUSY:
        return thrd_busy;
    default:
        return thrd_error;
    }
}

/* ---- threads ---- */

INTERCEPT int thrd_create(thrd_t *thread, thrd_start_t start, void *argument)
{
    bpor_fork_point(BPOR_FORK_AT_FIRST_THREAD);
    if (!bpor_controlled())
        return REAL(thrd_create)(thread, start, argument);
    /* An int comes back in the low half of the register in which a pointer would; thrd_join looks at no more. */
    void *(*routine)(void *) = (void *(*)(void *))(void *)start;
    return c11(bpor_thread_create(thread, NULL, routine, argument, CALL_SITE));
}

static int join(thrd_t thread, int *result, const void *site)
{
    void *value = NULL;
    int error = bpor_thread_join(thread, &value, site);
    int returned = (int)(intptr_t)value;
    if (error == 0)
        bpor_told_store(result, &returned, sizeof returned, site);
    return c11(error);
}

INTERCEPT int thrd_join(thrd_t thread, int *result)
{
    return bpor_controlled() ? join(thread, result, CALL_SITE) : REAL(thrd_join)(thread, result);
}

INTERCEPT int thrd_detach(thrd_t thread)
{
    return bpor_controlled() ? c11(bpor_thread_detach(thread, CALL_SITE)) : REAL(thrd_detach)(thread);
}

INTERCEPT void thrd_exit(int result)
{
    if (bpor_controlled()) {
        bpor_self->value = (void *)(intptr_t)result;
        bpor_self->left_at = CALL_SITE;
    }
    REAL(thrd_exit)(result);
    __builtin_unreachable();
}

INTERCEPT void thrd_yield(void)
{
    if (bpor_controlled()) {
        bpor_operation(OP_YIELD, CALL_SITE);
        bpor_step();
    } else {
        REAL(thrd_yield)();
    }
}

INTERCEPT int thrd_sleep(const struct timespec *duration, struct timespec *remaining)
{
    if (!bpor_controlled())
        return REAL(thrd_sleep)(duration, remaining);
    bpor_told_read(duration, sizeof *duration, CALL_SITE);
    if (duration->tv_sec < 0 || duration->tv_nsec < 0 || duration->tv_nsec >= NANOSECONDS)
        return SLEEP_FAILED;
    bpor_operation(OP_SLEEP, CALL_SITE)->argument = (int64_t)duration->tv_sec * NANOSECONDS + duration->tv_nsec;
    return bpor_step();
}

/* ---- mutexes ---- */

static pthread_mutex_t *mutex_in(mtx_t *mutex)
{
    return (pthread_mutex_t *)mutex;
}

static int mutex_init(mtx_t *mutex, int type, const void *site)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, type & mtx_recursive ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_NORMAL);
    return c11(bpor_mutex_step(OP_MUTEX_INIT, mutex_in(mutex), &attributes, site));
}

INTERCEPT int mtx_init(mtx_t *mutex, int type)
{
    return bpor_controlled() ? mutex_init(mutex, type, CALL_SITE) : REAL(mtx_init)(mutex, type);
}

INTERCEPT void mtx_destroy(mtx_t *mutex)
{
    if (bpor_controlled())
        bpor_mutex_step(OP_MUTEX_DESTROY, mutex_in(mutex), NULL, CALL_SITE);
    else
        REAL(mtx_destroy)(mutex);
}

INTERCEPT int mtx_lock(mtx_t *mutex)
{
    return bpor_controlled() ? c11(bpor_mutex_step(OP_MUTEX_LOCK, mutex_in(mutex), NULL, CALL_SITE)) : REAL(mtx_lock)(mutex);
}

INTERCEPT int mtx_trylock(mtx_t *mutex)
{
    return bpor_controlled() ? c11(bpor_mutex_step(OP_MUTEX_TRYLOCK, mutex_in(mutex), NULL, CALL_SITE))
                             : REAL(mtx_trylock)(mutex);
}

INTERCEPT int mtx_timedlock(mtx_t *mutex, const struct timespec *deadline)
{
    return bpor_controlled() ? c11(bpor_mutex_timed_step(mutex_in(mutex), CLOCK_REALTIME, deadline, CALL_SITE))
                             : REAL(mtx_timedlock)(mutex, deadline);
}

INTERCEPT int mtx_unlock(mtx_t *mutex)
{
    return bpor_controlled() ? c11(bpor_mutex_step(OP_MUTEX_UNLOCK, mutex_in(mutex), NULL, CALL_SITE)) : REAL(mtx_unlock)(mutex);
}

/* ---- conditions ---- */

static pthread_cond_t *condition_in(cnd_t *condition)
{
    return (pthread_cond_t *)condition;
}

INTERCEPT int cnd_init(cnd_t *condition)
{
    return bpor_controlled() ? c11(bpor_condition_step(OP_COND_INIT, condition_in(condition), NULL, CALL_SITE))
                             : REAL(cnd_init)(condition);
}

INTERCEPT void cnd_destroy(cnd_t *condition)
{
    if (bpor_controlled())
        bpor_condition_step(OP_COND_DESTROY, condition_in(condition), NULL, CALL_SITE);
    else
        REAL(cnd_destroy)(condition);
}

INTERCEPT int cnd_wait(cnd_t *condition, mtx_t *mutex)
{
    return bpor_controlled() ? c11(bpor_condition_wait(condition_in(condition), mutex_in(mutex), NULL, CALL_SITE))
                             : REAL(cnd_wait)(condition, mutex);
}

INTERCEPT int cnd_timedwait(cnd_t *condition, mtx_t *mutex, const struct timespec *deadline)
{
    if (!bpor_controlled())
        return REAL(cnd_timedwait)(condition, mutex, deadline);
    return c11(bpor_condition_timed_wait(condition_in(condition), mutex_in(mutex), CLOCK_REALTIME, deadline, CALL_SITE));
}

INTERCEPT int cnd_signal(cnd_t *condition)
{
    return bpor_controlled() ? c11(bpor_condition_step(OP_COND_SIGNAL, condition_in(condition), NULL, CALL_SITE))
                             : REAL(cnd_signal)(condition);
}

INTERCEPT int cnd_broadcast(cnd_t *condition)
{
    return bpor_controlled() ? c11(bpor_condition_step(OP_COND_BROADCAST, condition_in(condition), NULL, CALL_SITE))
                             : REAL(cnd_broadcast)(condition);
}

/* ---- thread-specific storage ---- */

INTERCEPT int tss_create(tss_t *key, tss_dtor_t destructor)
{
    tss_t made = 0;
    bpor_piece_use(STATE_SETTINGS, THREAD_KEYS, LOOKS | CHANGES, CALL_SITE);
    int result = REAL(tss_create)(&made, destructor);
    if (result != thrd_success)
        return result;
    bpor_key_created(made, destructor);
    bpor_told_store(key, &made, sizeof made, CALL_SITE);
    return result;
}

INTERCEPT void tss_delete(tss_t key)
{
    bpor_piece_use(STATE_SETTINGS, THREAD_KEYS, CHANGES, CALL_SITE);
    bpor_key_deleted(key);
    REAL(tss_delete)(key);
}

INTERCEPT void *tss_get(tss_t key)
{
    return REAL(tss_get)(key);
}

INTERCEPT int tss_set(tss_t key, void *value)
{
    return REAL(tss_set)(key, value);
}
