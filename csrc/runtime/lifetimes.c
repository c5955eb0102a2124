/* What is known about the end of an object is stored with it in the table. A destroyed object also carries a mark in its own
 * memory; the mark disappears when the program creates a new object there by plain writes: a static initialiser, a constructor,
 * another stack frame.
 *
 * Three uses are legal and are not reported: a condition may be destroyed when all waiters have been woken, even if they have not
 * returned; memory may be initialised again after a destroy; a futex may be woken, but not waited for, after its word is gone. */
#define _GNU_SOURCE
#include "runtime/lifetimes.h"
#include "race/race.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { MARK = 0xd7, LIBCS_MARK = -1 }; /* libc's own, in __kind of a mutex that was destroyed before control began */

static const char *const operations[OP_COUNT] = {
#define OP(identifier, text, bits) [OP_##identifier] = (text),
#include "protocol/ops.def"
#undef OP
};

static const char *const families[] = {
    [FAMILY_MUTEX] = "mutex",         [FAMILY_CONDITION] = "condition",
    [FAMILY_SEMAPHORE] = "semaphore", [FAMILY_RWLOCK] = "read-write lock",
    [FAMILY_SPIN] = "spin lock",      [FAMILY_BARRIER] = "barrier",
    [FAMILY_ONCE] = "once control",
};

static bool has_a_lifetime(const struct object *object)
{
    return object->family >= FAMILY_MUTEX && object->family <= FAMILY_ONCE;
}

static bool carries_mark(const struct object *object)
{
    const uint8_t *byte = (const uint8_t *)object->address;
    for (unsigned i = 0; i < object->marked; i++)
        if (byte[i] != MARK)
            return false;
    return object->marked > 0 ||
           (object->family == FAMILY_MUTEX && ((const pthread_mutex_t *)object->address)->__data.__kind == LIBCS_MARK);
}

static const struct thread *ended_stack_of(const struct object *object)
{
    const struct thread *owner = object->on_stack_of ? &bpor->thread[object->on_stack_of - 1] : NULL;
    return owner && owner->state == THREAD_FINISHED ? owner : NULL;
}

static enum object_end end_of(const struct object *object)
{
    if (object->end == END_FREED || ended_stack_of(object))
        return END_FREED;
    return object->end == END_DESTROYED && carries_mark(object) ? END_DESTROYED : END_NOT_YET;
}

bool bpor_lifetime_ended_by_call(const struct object *object)
{
    return end_of(object) == END_DESTROYED;
}

void bpor_lifetime_begin(struct object *object)
{
    const struct thread *owner = bpor_stack_owner(object->address);
    uint32_t stack;
    unsigned by;
    if (owner && !owner->stack_is_programs)
        object->on_stack_of = (uint16_t)(owner->id + 1);
    else if (bpor_quarantine_holds(object->address, &by, &stack))
        bpor_lifetime_freed(object, by, stack);
}

void bpor_lifetime_destroyed(const struct thread *thread, size_t bytes)
{
    struct object *object = thread->op.object;
    memset((void *)object->address, MARK, bytes);
    object->end = END_DESTROYED;
    object->ended_by = thread->id;
    object->marked = (uint8_t)bytes;
}

void bpor_lifetime_recognise(struct object *mutex)
{
    if (mutex->end == END_NOT_YET && carries_mark(mutex)) {
        mutex->end = END_DESTROYED;
        mutex->ended_by = BPOR_NO_THREAD;
    }
}

void bpor_lifetime_freed(struct object *object, unsigned by, uint32_t stack)
{
    object->destroyed_first = end_of(object) == END_DESTROYED;
    object->end = END_FREED;
    object->ended_by = (uint16_t)by;
    object->ended_stack = stack;
}

static bool initialises(enum operation_kind kind)
{
    return kind == OP_MUTEX_INIT || kind == OP_COND_INIT || kind == OP_SEM_INIT || kind == OP_RWLOCK_INIT ||
           kind == OP_SPIN_INIT || kind == OP_BARRIER_INIT;
}

/* The second half of a wait, whose object may be destroyed under it. */
static bool returns(enum operation_kind kind)
{
    return kind == OP_COND_WAKE || kind == OP_BARRIER_LEAVE;
}

/* The kernel reads the word of a wait, and changes the second one of a wake-op; whoever only wakes does not look at it. */
static const struct object *word_used(const struct operation *op)
{
    return op->kind == OP_FUTEX_WAIT ? op->object : op->kind == OP_FUTEX_WAKE_OP ? op->second : NULL;
}

static bool uses_freed_word(const struct operation *op)
{
    const struct object *word = word_used(op);
    unsigned by;
    uint32_t stack;
    return word && bpor_quarantine_holds(word->address, &by, &stack);
}

static void report_freed_word(const struct operation *op)
{
    struct bpor_end *end = &bpor->shared->end;
    const struct object *word = word_used(op);
    unsigned by = 0;
    uint32_t stack = 0;
    bpor_quarantine_holds(word->address, &by, &stack);
    snprintf(end->message, sizeof end->message, "use after free: %s on a word in a block that T%u freed", operations[op->kind],
             by);
    end->address = word->address;
    bpor_end_other_stack(by, stack);
    bpor_fault(BPOR_OUTCOME_MEMORY);
}

static bool wrong(enum operation_kind kind, const struct object *object, bool first)
{
    if (object == NULL || (object->end == END_NOT_YET && object->on_stack_of == 0) || !has_a_lifetime(object))
        return false;
    switch (end_of(object)) {
    case END_FREED:
        return !(first && returns(kind) && object->destroyed_first);
    case END_DESTROYED:
        return !initialises(kind) && !(first && returns(kind));
    default:
        return false;
    }
}

bool bpor_lifetime_object_over(const struct thread *thread)
{
    const struct operation *op = &thread->op;
    return wrong(op->kind, op->object, true) || wrong(op->kind, op->second, false) || uses_freed_word(op);
}

static void report_destroyed(const struct operation *op, const struct object *object)
{
    const char *call = operations[op->kind], *family = families[object->family];
    if (object->ended_by == BPOR_NO_THREAD)
        bpor_misuse("%s on a %s that was destroyed", call, family);
    else
        bpor_misuse("%s on a %s that T%u destroyed", call, family, object->ended_by);
}

static void report_freed(const struct operation *op, const struct object *object)
{
    struct bpor_end *end = &bpor->shared->end;
    const struct thread *owner = ended_stack_of(object);
    const char *call = operations[op->kind], *family = families[object->family];
    if (object->unmapped)
        snprintf(end->message, sizeof end->message, "use of unmapped memory: %s on a %s in memory that T%u unmapped", call,
                 family, object->ended_by);
    else if (owner)
        snprintf(end->message, sizeof end->message,
                 "use of a stack that is gone: %s on a %s on the stack of T%u, which has ended", call, family, owner->id);
    else
        snprintf(end->message, sizeof end->message, "use after free: %s on a %s in a block that T%u freed", call, family,
                 object->ended_by);
    end->address = object->address;
    bpor_end_other_stack(owner ? owner->id : object->ended_by, owner ? 0 : object->ended_stack);
    bpor_fault(BPOR_OUTCOME_MEMORY);
}

void bpor_lifetime_report(const struct thread *thread)
{
    const struct operation *op = &thread->op;
    if (uses_freed_word(op)) {
        report_freed_word(op);
        return;
    }
    const struct object *object = wrong(op->kind, op->object, true) ? op->object : op->second;
    if (end_of(object) == END_DESTROYED)
        report_destroyed(op, object);
    else
        report_freed(op, object);
}

void bpor_lifetime_step(const struct thread *thread)
{
    if (initialises(thread->op.kind))
        thread->op.object->end = END_NOT_YET;
}
