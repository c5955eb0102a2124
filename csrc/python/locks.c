/* Calls of PyMutex_Lock and PyMutex_Unlock by instrumented modules, as operations (model/python_lock.c), then passed on when they
 * cannot block. A thread that has to wait is detached from the interpreter meanwhile, as it would be there. */
#define _GNU_SOURCE
#include "python/locks.h"
#include "python/gil.h"
#include "python/objects.h"
#include "python/slots.h"
#include "runtime/real.h"
#include <dlfcn.h>

enum { MOST_SPINS = 64 };

struct interpreter bpor_interpreter;

void bpor_lock_add(struct lock_call *call, uint8_t *byte)
{
    if (byte == NULL)
        return;
    if (call->count == MOST_BYTES)
        bpor_end(BPOR_OUTCOME_REFUSED, 0, "a thread gives up more than 16 locks of critical sections at once");
    call->byte[call->count++] = byte;
}

bool bpor_lock_step(enum operation_kind kind, struct lock_call *call, const void *site)
{
    struct operation *op = bpor_operation(kind, site);
    for (unsigned i = 0; i < call->count; i++) {
        struct object *lock = bpor_python_lock(call->byte[i]);
        bpor_python_lock_reconcile(lock);
        bpor_touch_object(op, lock, true);
    }
    op->argument = (int64_t)(uintptr_t)call;
    return bpor_step() == 0;
}

bool bpor_lock_try(const struct lock_call *wanted, const void *site)
{
    struct lock_call call = *wanted;
    bpor_sections_add_active(&call);
    return bpor_lock_step(OP_PYMUTEX_TRYLOCK, &call, site);
}

void bpor_lock_wait(struct lock_call *wanted, const void *site)
{
    wanted->wanted = wanted->count;
    bpor_lock_step(OP_PYMUTEX_LOCK, wanted, site);
}

static void our_lock(uint8_t *mutex)
{
    struct lock_call call = {.wanted = 1, .count = 1, .byte = {mutex}};
    bool attached = bpor_controlled() && bpor_interpreter.state();
    bool tries = attached && bpor_sections_any(); /* which a thread keeps that need not wait */
    if (!bpor_controlled() || (tries && bpor_lock_try(&call, CALL_SITE))) {
        bpor_interpreter.lock(mutex);
        return;
    }
    if (attached)
        bpor_sections_add_innermost(&call); /* resumed before it goes on */
    void *state = attached ? bpor_interpreter.save() : NULL;
    bpor_lock_wait(&call, CALL_SITE);
    bpor_interpreter.lock(mutex);
    if (state)
        bpor_interpreter.restore(state);
}

static void our_unlock(uint8_t *mutex)
{
    struct lock_call call = {.count = 1, .byte = {mutex}};
    if (bpor_controlled())
        bpor_lock_step(OP_PYMUTEX_UNLOCK, &call, CALL_SITE);
    bpor_interpreter.unlock(mutex);
}

/* ---- at the fork point ---- */

static const struct slot mutexes[] = {
    {"PyMutex_Lock", (void *)our_lock, (void **)&bpor_interpreter.lock},
    {"PyMutex_Unlock", (void *)our_unlock, (void **)&bpor_interpreter.unlock},
};
enum { MUTEXES = sizeof mutexes / sizeof mutexes[0] };

void bpor_locks_watch(void)
{
    struct interpreter *python = &bpor_interpreter;
    if (bpor->shared->config.gil == BPOR_GIL_NONE)
        return;
    bpor_slots_find(mutexes, MUTEXES);
    python->save = (void *(*)(void))dlsym(RTLD_DEFAULT, "PyEval_SaveThread");
    python->restore = (void (*)(void *))dlsym(RTLD_DEFAULT, "PyEval_RestoreThread");
    python->state = (void *(*)(void))dlsym(RTLD_DEFAULT, "PyThreadState_GetUnchecked");
    if (!python->lock || !python->unlock || !python->save || !python->restore || !python->state || !python->state())
        return; /* before 3.13, or called by a thread that is none of its own */
    bpor_slots_redirect(mutexes, MUTEXES);
    bpor_sections_watch();
}

/* It spins before it parks; in vain, because nobody else runs meanwhile. One that never parks is seen after a while. */
bool bpor_interpreter_spins(const void *site)
{
    static uint64_t since;
    static unsigned spins;
    if (!bpor_gil.free_threaded || !bpor_in_interpreter((uintptr_t)site))
        return false;
    if (since != bpor->shared->progress)
        spins = 0;
    since = bpor->shared->progress;
    return spins++ < MOST_SPINS;
}
