/* From an instrumented access to its operation. Before a second thread exists nothing can interleave, so the access is performed
 * at once; unless the only thread waits in a loop, whose steps must be seen for the loop to be recognised. */
#include "memory/memory.h"
#include "loops/circle.h"
#include "loops/retry.h"
#include "machine/machine.h"
#include "memory/recent.h"
#include "python/gil.h"
#include "python/objects.h"
#include "python/pointers.h"
#include "python/references.h"
#include "race/cells.h"
#include "runtime/objects.h"
#include "runtime/orders.h"
#include "trust/trust.h"
#include <string.h>

/* An order arrives with hints of hardware lock elision in its upper bits, which mean nothing here. */
enum { ORDER_MASK = 0x7fff };

void bpor_memory_reserve(void)
{
    bpor_clocks_reserve();
    bpor_locations_reserve();
    bpor_calls_reserve();
    bpor_spin_reserve();
    bpor_plain_spin_reserve();
    bpor_recent_reserve();
    bpor_stacks_reserve();
    bpor_race_streams_reserve();
    bpor_circle_reserve();
    bpor_retry_reserve();
}

static enum operation_kind kind_of(enum atomic_form form)
{
    switch (form) {
    case FORM_LOAD:
        return OP_READ;
    case FORM_STORE:
        return OP_WRITE;
    case FORM_CAS:
        return OP_CAS;
    default:
        return OP_RMW;
    }
}

/* The order as the wire tells it. */
static uint8_t order_flags(int order, bool unordered)
{
    return (uint8_t)((unordered ? ORDER_UNORDERED : order + 1) * BPOR_FLAG_ORDER);
}

/* Does the access of a program that has one thread only. False: it has to be a step, because the thread waits in a loop. */
static bool done_alone(struct memory_access *access, const void *site)
{
    if (access->performed_by_caller && !access->foreseen)
        return access->form == FORM_STORE; /* what a volatile loop reads has to be looked at */
    if (access->foreseen)
        bpor_memory_foresee(access);
    else
        bpor_memory_apply(access);
    if (access->form != FORM_LOAD && !access->failed)
        return true;
    bpor_self->op.site = (uint64_t)site;
    return bpor_spin_looks(bpor_self, (uint64_t)access->address, (uint64_t)access->old) < LOOKS_BEFORE_YIELD;
}

/* A verdict must not claim to have covered accesses that were never reported (report/verdict.py). */
static void note_told(void)
{
    if (bpor->threads > 1 && !bpor->unexplored)
        bpor->shared->told = 1;
}

/* Pointers to objects of Python that were loaded, or put where others load them. What the caller stores itself is known when it
 * has. */
static void tell_references(const struct memory_access *access, uint64_t source)
{
    bool loads = access->form == FORM_LOAD || (access->form == FORM_CAS && access->failed);
    bool stores = access->form == FORM_STORE || access->form == FORM_EXCHANGE || access->form == FORM_CAS;
    if (loads)
        bpor_reference_loaded((uintptr_t)access->old, source, access->size);
    else if (stores)
        bpor_reference_stored((uintptr_t)access->address, access->size, source);
}

value128 bpor_atomic(struct memory_access *access, const void *site)
{
    bool controlled = bpor_controlled(), minds = controlled && bpor_python_minds(access);
    if (minds && bpor_references_any())
        bpor_reference_access((uintptr_t)access->address, access->size, access->form != FORM_LOAD, site);
    if (!controlled || minds) {
        if (!access->performed_by_caller)
            bpor_memory_apply(access);
        return access->old;
    }
    note_told();
    if (bpor->shared->config.order_count)
        bpor_orders_change(access, site);
    if (bpor_checks == CHECK_FREED)
        bpor_shadow_alone((uintptr_t)access->address, access->size, access->form != FORM_LOAD);
    if (bpor->threads == 1 && done_alone(access, site))
        return access->old;
    const bool retries = bpor->shared->config.retries;
    if (retries)
        bpor_retry_announced(access, site);
    struct location *location = bpor_location((uintptr_t)access->address, access->size);
    struct operation *op = bpor_operation(kind_of(access->form), site);
    op->argument = (int64_t)(uintptr_t)access;
    op->flags = order_flags(access->order, access->performed_by_caller && !access->foreseen);
    op->value = access->form == FORM_CAS ? (uint64_t)access->failure_order + 1 : 0;
    bpor_touch(op, location->id, access->size, access->form != FORM_LOAD);
    bpor_step();
    if (retries)
        bpor_retry_performed(access, site);
    if (access->size == sizeof(uintptr_t) && bpor_gil_is_off())
        tell_references(access, op->access[0].object);
    return access->old;
}

value128 bpor_access(enum atomic_form form, const volatile void *address, uint32_t size, value128 operand, int order,
                     const void *site)
{
    struct memory_access access = {
        .address = (volatile void *)address, .size = size, .form = form, .order = order & ORDER_MASK, .operand = operand};
    return bpor_atomic(&access, site);
}

bool bpor_compare_exchange(volatile void *address, uint32_t size, void *expected, value128 desired, int order, int failure,
                           const void *site)
{
    struct memory_access access = {.address = address,
                                   .size = size,
                                   .form = FORM_CAS,
                                   .order = order & ORDER_MASK,
                                   .failure_order = failure & ORDER_MASK,
                                   .operand = desired,
                                   .expected_at = expected};
    memcpy(&access.expected, expected, size);
    bpor_atomic(&access, site);
    if (access.failed) {
        bpor_plain_access(expected, size, true, site);
        memcpy(expected, &access.old, size);
    }
    return !access.failed;
}

bool bpor_compare_in_vain(volatile void *address, uint32_t size, void *expected, int failure, const void *site)
{
    value128 found = bpor_access(FORM_LOAD, address, size, 0, failure, site);
    bpor_plain_access(expected, size, true, site);
    memcpy(expected, &found, size);
    return false;
}

void bpor_fence(int order, const void *site)
{
    order &= ORDER_MASK;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (!bpor_controlled())
        return;
    if (bpor->shared->config.order_count && (order = bpor_orders_fence(order, site)) < 0)
        return;
    struct operation *op = bpor_operation(OP_FENCE, site);
    op->argument = order;
    op->flags = order_flags(order, false);
    bpor_step();
}

/* --races=explore: places where a race was found before; their plain accesses are operations that order nothing. */
static bool visible(uintptr_t address, size_t bytes, uint64_t *object)
{
    const struct bpor_config *config = &bpor->shared->config;
    const struct location *known = bpor_location_known(address, (uint32_t)bytes);
    uint64_t allocation_site;
    *object = known ? known->id : bpor_canonical(address, BPOR_CLASS_MEMORY, &allocation_site);
    struct bpor_access access = {*object, (uint32_t)bytes, true};
    return bpor_conflict(&access, 1, config->visible, config->visible_count);
}

bool bpor_visible_place(uintptr_t address, size_t bytes)
{
    uint64_t object;
    return bpor->shared->config.visible_count && visible(address, bytes, &object);
}

static bool visible_site(const void *site)
{
    const struct bpor_config *config = &bpor->shared->config;
    uint64_t unused, name;
    if (!bpor_site_may_be_visible((uintptr_t)site))
        return false;
    name = bpor_canonical((uintptr_t)site, BPOR_CLASS_MEMORY, &unused);
    for (unsigned i = 0; i < config->visible_count && config->visible[i].size == 0; i++)
        if (config->visible[i].object == name)
            return true;
    return false;
}

/* The place was found to be shared with machine code, whose moves acquire and release: what others do there is taken for the
 * other half of the same synchronisation. Among instrumented code alone it is a race, and orders nothing. */
static int order_of_visible(bool write)
{
    if (!bpor_machine_in_use())
        return __ATOMIC_RELAXED;
    return write ? __ATOMIC_RELEASE : __ATOMIC_ACQUIRE;
}

static void tell_wide_references(const struct plain_part *part, uint64_t source)
{
    uintptr_t address = (uintptr_t)part->address, word;
    if (part->write)
        bpor_reference_stored(address, part->bytes, source);
    for (size_t at = 0; !part->write && at + sizeof word <= part->bytes; at += sizeof word)
        if (bpor_python_word(address + at, &word))
            bpor_reference_loaded(word, source + at, sizeof word);
}

/* Bytes of any number, accessed together by the caller, right after the step: parts with an object of 0 are no operations. Only
 * some of the bytes may be known to be shared, so all of them are checked against plain accesses, as those of an atomic are. */
static void wide_step(const struct plain_part *parts, const uint64_t *objects, unsigned count, const void *site)
{
    bool writes = false;
    for (unsigned i = 0; i < count; i++) {
        writes |= objects[i] && parts[i].write;
        if (objects[i] && parts[i].write)
            bpor_spin_plain_write(bpor_self, (uintptr_t)parts[i].address, parts[i].bytes);
    }
    struct operation *op = bpor_operation(writes ? OP_WRITE : OP_READ, site);
    op->flags = order_flags(__ATOMIC_RELAXED, true);
    for (unsigned i = 0; i < count; i++)
        if (objects[i])
            bpor_touch(op, objects[i], (uint32_t)parts[i].bytes, parts[i].write);
    bpor_step();
    for (unsigned i = 0; i < count; i++)
        if (objects[i])
            bpor_race_atomic(bpor_self, bpor_location((uintptr_t)parts[i].address, (uint32_t)parts[i].bytes), !parts[i].write,
                             parts[i].write, order_of_visible(parts[i].write));
    for (unsigned i = 0; i < count && bpor_gil_is_off(); i++)
        if (objects[i])
            tell_wide_references(&parts[i], objects[i]);
}

static void visible_step(const struct plain_part *part, uint64_t object, const void *site)
{
    size_t bytes = part->bytes;
    if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8) {
        wide_step(part, &object, 1, site);
        return;
    }
    struct memory_access access = {.address = (volatile void *)part->address,
                                   .size = (uint32_t)bytes,
                                   .form = part->write ? FORM_STORE : FORM_LOAD,
                                   .order = order_of_visible(part->write),
                                   .performed_by_caller = true};
    bpor_atomic(&access, site);
}

/* A reference is counted in one piece where there is no lock: the write that follows the read belongs to it. */
static void visible_access(const struct plain_part *part, uint64_t object, const void *site)
{
    uintptr_t address = (uintptr_t)part->address;
    if (!bpor_gil_is_off() || !bpor_python_owns(address, part->bytes) || (!part->write && bpor_gil.free_threaded))
        visible_step(part, object, site);
    else if (!part->write)
        bpor_reference_count_step(address & ~(uintptr_t)(sizeof(uintptr_t) - 1), site);
    else
        bpor_spin_plain_write(bpor_self, address, part->bytes);
}

/* The result of checking a plain access. */
enum plain_result {
    PLAIN_DONE,
    PLAIN_KNOWN,     /* the same access again would change nothing, until another thread runs or this one is ordered anew */
    PLAIN_OPERATION, /* to be performed */
};

static enum plain_result check_plain(struct thread *self, const struct plain_part *part, uint64_t *object, const void *site)
{
    uintptr_t address = (uintptr_t)part->address;
    self->kin.wrote |= part->write;
    if (bpor_references_any())
        bpor_reference_access(address, part->bytes, part->write, site);
    if (bpor_gil.interpreter && !part->write && part->bytes == sizeof(uintptr_t))
        bpor_pointer_read(address);
    if (bpor->shared->config.visible_count && (visible(address, part->bytes, object) || visible_site(site)))
        return PLAIN_OPERATION;
    if (part->write)
        bpor_spin_plain_write(self, address, part->bytes);
    bool tells_apart = self->kin.gathers && bpor_cells_others(self, address, part->bytes);
    bool known = bpor_race_plain(self, address, part->bytes, part->write, site);
    if (tells_apart)
        bpor_kin_goes_on(self);
    return known && !bpor_references_any() && !(part->write && bpor_write_matters(self)) ? PLAIN_KNOWN : PLAIN_DONE;
}

static inline enum plain_result look_at(struct thread *self, const struct plain_part *part, uint64_t *object, const void *site,
                                        bool counted)
{
    if (self == NULL || self->shielded || part->bytes == 0)
        return PLAIN_DONE;
    note_told();
    if (bpor_retry_watches(self))
        bpor_retry_plain(self, (uintptr_t)part->address, part->bytes, part->write);
    bpor_plain_spin_settle(self);
    bpor_plain_spin(self, part->address, part->bytes, site, counted);
    if (bpor_trusts && bpor_trusted_code((uintptr_t)site - 1))
        return PLAIN_DONE;
    if (bpor_checks == CHECK_RACES)
        return check_plain(self, part, object, site);
    if (bpor_checks == CHECK_FREED)
        bpor_shadow_alone((uintptr_t)part->address, part->bytes, part->write);
    return PLAIN_KNOWN;
}

/* While a loop is looked at, each access of it has to be told. */
static void keep_in_mind(const struct thread *self, uintptr_t address, unsigned shift, bool write)
{
    if (!bpor_plain_spin_is_quiet(self)) {
        bpor_recent_forget();
        return;
    }
    if (bpor_checks == CHECK_NOTHING && !bpor_retry_watches(self))
        bpor_recent_add_all();
    else
        bpor_recent_add(address, shift, write);
    bpor_plain_spin_grant(self);
}

/* Of a store to a bit-field gcc tells the write alone. The bits beside it are written as they were read, which is when the thread
 * came here; what a store to all bytes finds there makes no difference to it. */
static void visible_store(const struct plain_part *part, uint64_t object, const void *site)
{
    uint64_t before;
    memcpy(&before, (const void *)part->address, part->bytes);
    visible_access(part, object, site);
    memcpy((void *)part->address, &before, part->bytes);
}

void bpor_sized_access(const volatile void *address, unsigned shift, bool write, const void *site)
{
    struct plain_part part = {address, (size_t)1 << shift, write};
    uint64_t object;
    enum plain_result result = look_at(bpor_self, &part, &object, site, !bpor_recent_is_uncounted(site));
    if (result == PLAIN_KNOWN)
        keep_in_mind(bpor_self, (uintptr_t)address, shift, write);
    else if (result == PLAIN_OPERATION && write && part.bytes <= sizeof(uint64_t))
        visible_store(&part, object, site);
    else if (result == PLAIN_OPERATION)
        visible_access(&part, object, site);
}

bool bpor_plain_access(const volatile void *address, size_t bytes, bool write, const void *site)
{
    struct plain_part part = {address, bytes, write};
    uint64_t object;
    if (look_at(bpor_self, &part, &object, site, true) != PLAIN_OPERATION)
        return false;
    visible_access(&part, object, site);
    return true;
}

void bpor_plain_parts(const struct plain_part *parts, unsigned count, const void *site)
{
    uint64_t objects[PLAIN_PARTS];
    bool any = false;
    for (unsigned i = 0; i < count; i++)
        if (look_at(bpor_self, &parts[i], &objects[i], site, true) == PLAIN_OPERATION)
            any = true;
        else
            objects[i] = 0;
    if (any)
        wide_step(parts, objects, count, site);
}

void bpor_plain_accesses(struct plain_part first, struct plain_part second, const void *site)
{
    const struct plain_part parts[] = {first, second};
    bpor_plain_parts(parts, 2, site);
}

void bpor_object_access(enum operation_kind kind, uintptr_t address, uint32_t bytes, bool write, const void *site)
{
    struct operation *op = bpor_operation(kind, site);
    uint64_t allocation_site, object = bpor_canonical(address, BPOR_CLASS_MEMORY, &allocation_site);
    op->flags = order_flags(__ATOMIC_SEQ_CST, bytes <= sizeof op->value); /* a larger one has no value to show */
    bpor_touch(op, object, bytes, write);
    bpor_step();
    if (kind != OP_WRITE)
        bpor_race_acquire(bpor_self, object, true);
    if (write)
        bpor_race_release(bpor_self, object, true);
}
