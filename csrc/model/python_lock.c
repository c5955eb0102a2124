/* Locks of the interpreter's kind. Whether one is free is read from its byte; it is changed by the interpreter's own function,
 * which the thread calls next, before any other runs, and which cannot block then. */
#include "memory/memory.h"
#include "model/rules.h"
#include "python/locks.h"
#include "race/race.h"

enum { LOCKED = 1 };

static const struct lock_call *call_of(const struct thread *thread)
{
    return (const struct lock_call *)(uintptr_t)thread->op.argument;
}

static bool is_free(const uint8_t *byte)
{
    return (*(const volatile uint8_t *)byte & LOCKED) == 0;
}

bool python_lock_enabled(const struct thread *thread)
{
    const struct lock_call *call = call_of(thread);
    for (unsigned i = 0; i < call->wanted; i++)
        if (!is_free(call->byte[i]))
            return false;
    return true;
}

/* Named as the place in memory, which inlined calls access. */
struct object *bpor_python_lock(const uint8_t *byte)
{
    return bpor_object(byte, BPOR_CLASS_MEMORY, FAMILY_PYTHON_LOCK);
}

/* Orders memory as inlined calls do, by atomic accesses of the byte. */
static void change(struct thread *thread, const uint8_t *byte, uint16_t owner)
{
    struct location *location = bpor_location((uintptr_t)byte, 1);
    bpor_python_lock(byte)->owner = owner;
    location->last_writer = thread->id;
    bpor_race_atomic(thread, location, true, true, __ATOMIC_SEQ_CST);
}

void python_lock_perform(struct thread *thread)
{
    const struct lock_call *call = call_of(thread);
    for (unsigned i = 0; i < call->wanted; i++)
        change(thread, call->byte[i], thread->id);
}

void python_unlock_perform(struct thread *thread)
{
    const struct lock_call *call = call_of(thread);
    for (unsigned i = 0; i < call->count; i++)
        change(thread, call->byte[i], BPOR_NO_THREAD);
}

/* All at once, or what is held is given up. Only a write could have changed the answer of a try in vain. */
void python_trylock_perform(struct thread *thread)
{
    const struct lock_call *call = call_of(thread);
    struct operation *op = &thread->op;
    if (python_lock_enabled(thread)) {
        op->accesses = (uint8_t)call->wanted;
        python_lock_perform(thread);
        return;
    }
    op->flags |= BPOR_FLAG_FAILED;
    thread->result = 1;
    for (unsigned i = 0; i < call->wanted; i++)
        op->access[i].write = 0;
    for (unsigned i = call->wanted; i < call->count; i++) {
        change(thread, call->byte[i], BPOR_NO_THREAD);
        bpor_race_release(thread, op->access[i].object, true);
    }
}

void bpor_python_lock_reconcile(struct object *object)
{
    const uint8_t *byte = (const uint8_t *)object->address;
    object->owner = is_free(byte) ? BPOR_NO_THREAD : bpor_location(object->address, 1)->last_writer;
}
