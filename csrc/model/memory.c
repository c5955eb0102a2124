/* Atomic accesses: always enabled, performed for real when chosen. The pending compare-exchange is a write; one that failed was a
 * read, because only a write could have changed its answer. Sequentially consistent, whatever order the program asked for, unless
 * --memory says otherwise: then an access may take an old store (csrc/weak). */
#include "memory/memory.h"
#include "loops/circle.h"
#include "model/rules.h"
#include "race/race.h"
#include "weak/weak.h"

#define APPLY(bits)                                                                                                              \
    static void apply##bits(struct memory_access *access)                                                                        \
    {                                                                                                                            \
        volatile value##bits *address = access->address;                                                                         \
        value##bits expected = (value##bits)access->expected;                                                                    \
        if (access->form == FORM_LOAD) {                                                                                         \
            access->old = load##bits(address);                                                                                   \
        } else if (access->form == FORM_CAS) {                                                                                   \
            access->failed = !cas##bits(address, &expected, (value##bits)access->operand);                                       \
            access->old = expected;                                                                                              \
        } else {                                                                                                                 \
            access->old = change##bits(access->form, address, (value##bits)access->operand);                                     \
        }                                                                                                                        \
    }

APPLY(8)
APPLY(16)
APPLY(32)
APPLY(64)
APPLY(128)

void bpor_memory_apply(struct memory_access *access)
{
    switch (access->size) {
    case 1:
        apply8(access);
        break;
    case 2:
        apply16(access);
        break;
    case 4:
        apply32(access);
        break;
    case 8:
        apply64(access);
        break;
    default:
        apply128(access);
    }
}

value128 bpor_memory_look(const volatile void *address, uint32_t size)
{
    switch (size) {
    case 1:
        return load8(address);
    case 2:
        return load16(address);
    case 4:
        return load32(address);
    case 8:
        return load64(address);
    default:
        return load128(address);
    }
}

static bool wrote(const struct memory_access *access)
{
    return access->form != FORM_LOAD && !(access->form == FORM_CAS && access->failed);
}

static value128 mask_of(const struct memory_access *access)
{
    return value_mask(access->size);
}

value128 bpor_memory_stored(const struct memory_access *access)
{
    value128 now = access->form == FORM_CAS ? access->operand : combine(access->form, access->old, access->operand);
    return now & mask_of(access);
}

static bool changed(const struct memory_access *access)
{
    bool unknown = access->performed_by_caller && !access->foreseen;
    return wrote(access) && (unknown || bpor_memory_stored(access) != (access->old & mask_of(access)));
}

void bpor_memory_foresee(struct memory_access *access)
{
    access->old = bpor_memory_look(access->address, access->size);
    access->failed = access->form == FORM_CAS && (access->old & mask_of(access)) != (access->expected & mask_of(access));
}

static void join_time(struct thread *thread, const struct location *location, bool write)
{
    if (thread->now < location->write_time)
        thread->now = location->write_time;
    if (write && thread->now < location->read_time)
        thread->now = location->read_time;
}

static void leave_time(const struct thread *thread, struct location *location, bool write)
{
    uint64_t *mark = write ? &location->write_time : &location->read_time;
    if (*mark < thread->now)
        *mark = thread->now;
}

/* A try: it wanted to change the place and could not, by a failed compare-exchange or by writing what was there. */
static bool tried_in_vain(const struct memory_access *access)
{
    return access->form != FORM_LOAD && access->form != FORM_STORE && !changed(access);
}

/* A loop that only looks is a yield from its third round on (spin.c). A try in vain where the previous one failed, at the same
 * place with the same value, is a yield whatever the thread took and gave back in between, as it is for a mutex. Neither is if
 * the loop counts its rounds (circle.c), because it ends by itself, or it may be that it does; but see bpor_counting_waits. */
static void infer_yield(struct thread *thread, const struct memory_access *access)
{
    struct operation *op = &thread->op;
    uint64_t object = op->access[0].object, value = (uint64_t)access->old;
    bool waits = false, looks = false; /* looks: it would wait if it were here again */
    if (tried_in_vain(access)) {
        uint64_t where = bpor_mix(bpor_mix(op->site, bpor_call_hash(thread)), bpor_mix(object, value));
        waits = thread->failed_at == where;
        looks = true;
        thread->failed_at = where;
        op->flags |= BPOR_FLAG_FAILED;
    } else if (changed(access) && access->performed_by_caller && !access->foreseen) {
        bpor_spin_stores(thread, (uintptr_t)access->address, access->size);
    } else if (changed(access)) {
        bpor_spin_changed(thread, object, value, (uint64_t)bpor_memory_stored(access));
    } else if (access->form == FORM_LOAD) {
        uint32_t count = bpor_spin_looks(thread, object, value);
        waits = count >= LOOKS_BEFORE_YIELD;
        looks = count + 1 >= LOOKS_BEFORE_YIELD;
    }
    if (bpor_counting_waits()) {
        op->flags |= waits ? BPOR_FLAG_YIELD | BPOR_FLAG_INFERRED : 0;
        op->circles = waits;
        return;
    }
    if (!looks || !bpor_past_counts())
        return;
    bpor_circle_mark(thread, LOOK_AT_FRAME);
    if (!waits) {
        op->flags &= (uint8_t)~BPOR_FLAG_YIELD;
        op->circles = op->moves = op->counts = false;
    } else if (op->flags & BPOR_FLAG_YIELD) {
        op->flags |= BPOR_FLAG_INFERRED;
    }
}

/* A store before newer ones is progress that cannot be taken back: no memory shows it. */
static void took_old(struct thread *thread, struct location *location, const struct memory_access *access)
{
    thread->op.value = (uint64_t)(access->form == FORM_STORE ? access->operand : access->old);
    if (!wrote(access)) {
        infer_yield(thread, access);
        return;
    }
    join_time(thread, location, true);
    leave_time(thread, location, true);
    bpor_spin_progress(thread);
}

void memory_perform(struct thread *thread)
{
    struct operation *op = &thread->op;
    struct memory_access *access = (struct memory_access *)(uintptr_t)op->argument;
    if (access == NULL)
        return; /* bytes of any number, which the caller accesses itself */
    struct location *location = bpor_location((uintptr_t)access->address, access->size);
    bool weak = bpor_weak;
    if (bpor_weak_sleeps)
        bpor_weak_look_at(location, access);
    if (weak && bpor_weak_takes_old(thread, location, access)) {
        took_old(thread, location, access);
        return;
    }
    uint32_t epoch = weak ? bpor_weak_epoch(thread) : 0;
    if (access->performed_by_caller)
        bpor_memory_foresee(access);
    else
        bpor_memory_apply(access);
    bool write = wrote(access);
    op->access[0].write = write;
    if (write)
        location->last_writer = thread->id;
    op->value = (uint64_t)(access->form == FORM_STORE ? access->operand : access->old);
    join_time(thread, location, write);
    leave_time(thread, location, write);
    if (access->may_race)
        bpor_race_plain(thread, location->address, location->size, write, (const void *)op->site);
    else
        bpor_race_atomic(thread, location, access->form != FORM_STORE, write,
                         access->failed ? access->failure_order : access->order);
    if (weak)
        bpor_weak_performed(thread, location, access, write, epoch);
    infer_yield(thread, access);
}

void fence_perform(struct thread *thread)
{
    uint32_t epoch = bpor_weak ? bpor_weak_epoch(thread) : 0;
    if (bpor_weak_sleeps)
        bpor_weak_look_at_order((int)thread->op.argument);
    bpor_race_fence(thread, (int)thread->op.argument);
    if (bpor_weak)
        bpor_weak_fence(thread, (int)thread->op.argument, epoch);
}
