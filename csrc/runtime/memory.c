/* From an instrumented access to its operation. Before a second thread exists nothing can interleave: the access is done at
 * once, unless the only thread waits in a loop, which then has to be a step to be told. */
#include "runtime/memory.h"
#include "runtime/race.h"

void bpor_memory_reserve(void)
{
    bpor_clocks_reserve();
    bpor_locations_reserve();
    bpor_calls_reserve();
    bpor_spin_reserve();
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

value128 bpor_atomic(struct memory_access *access, const void *site)
{
    if (!bpor_controlled()) {
        if (!access->performed_by_caller)
            bpor_memory_apply(access);
        return access->old;
    }
    struct location *location = bpor_location((uintptr_t)access->address, access->size);
    struct operation *op = bpor_operation(kind_of(access->form), site);
    op->argument = (int64_t)(uintptr_t)access;
    op->flags = order_flags(access->order, access->performed_by_caller);
    bpor_touch(op, location->id, access->size, access->form != FORM_LOAD);
    bpor_step();
    return access->old;
}

void bpor_fence(int order, const void *site)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (!bpor_controlled())
        return;
    struct operation *op = bpor_operation(OP_FENCE, site);
    op->argument = order;
    op->flags = order_flags(order, false);
    bpor_step();
}

void bpor_plain_access(const volatile void *address, size_t bytes, bool write, const void *site)
{
    struct thread *self = bpor_self;
    if (!bpor_checks_plain || self == NULL || self->shielded || bytes == 0)
        return;
    if (write)
        bpor_spin_plain_write(self, (uintptr_t)address, bytes);
    bpor_race_plain(self, (uintptr_t)address, bytes, write, site);
}
