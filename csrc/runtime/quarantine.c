/* Freed blocks, kept for a while before they go back to libc: an access that comes too late meets a block that is known to be
 * free, not somebody else's new one. --quarantine=off gives every block back at once. */
#include "runtime/objects.h"
#include "runtime/race.h"
#include "runtime/reserve.h"
#include <stdio.h>

extern void __libc_free(void *block);

enum { RECORDS = 1 << 14, MOST_BYTES = 64 << 20, LARGEST = 4 << 20 };

struct freed {
    struct allocation block;
    uint16_t thread;
    uint32_t stack; /* of the free */
};

static struct quarantine {
    uint64_t first, end; /* records in use: first <= number < end, at number % RECORDS */
    uint64_t bytes;
    struct freed freed[RECORDS];
} * quarantine;

void bpor_quarantine_reserve(void)
{
    quarantine = bpor_reserve(sizeof *quarantine);
}

static void release_oldest(void)
{
    struct freed *oldest = &quarantine->freed[quarantine->first++ % RECORDS];
    quarantine->bytes -= oldest->block.size;
    bpor_shadow_clear(oldest->block.start, oldest->block.size);
    __libc_free((void *)oldest->block.start);
}

static const struct freed *find(uintptr_t address)
{
    for (uint64_t i = quarantine->end; i-- > quarantine->first;) {
        const struct freed *freed = &quarantine->freed[i % RECORDS];
        if (address - freed->block.start < freed->block.size)
            return freed;
    }
    return NULL;
}

const struct allocation *bpor_quarantine_find(uintptr_t address)
{
    const struct freed *freed = quarantine ? find(address) : NULL;
    return freed ? &freed->block : NULL;
}

static void memory_error(const struct freed *freed, uintptr_t address)
{
    struct bpor_end *end = &bpor->shared->end;
    end->address = address;
    bpor_end_other_stack(freed->thread, freed->stack);
    bpor_fault(BPOR_OUTCOME_MEMORY);
}

void bpor_use_after_free(uintptr_t address, size_t bytes, bool write, uint32_t record)
{
    struct bpor_end *end = &bpor->shared->end;
    const struct freed *freed = &quarantine->freed[record % RECORDS];
    if (bpor->fault)
        return;
    snprintf(end->message, sizeof end->message,
             "use after free: %s of %zu byte%s by T%u, %zu bytes into a block of %zu that T%u freed", write ? "write" : "read",
             bytes, bytes == 1 ? "" : "s", bpor_self->id, address - freed->block.start, freed->block.size, freed->thread);
    memory_error(freed, address);
}

static void double_free(const struct freed *freed)
{
    struct bpor_end *end = &bpor->shared->end;
    snprintf(end->message, sizeof end->message, "double free: T%u frees a block of %zu bytes that T%u freed before",
             bpor_self->id, freed->block.size, freed->thread);
    memory_error(freed, freed->block.start);
}

/* A free is a write to the block. Where atomics live in it, it is also an operation: the search tries it before and after them.
 */
static void free_step(uintptr_t start, size_t bytes, const void *site)
{
    struct operation *op = bpor_operation(OP_FREE, site);
    uint64_t allocation_site;
    bpor_touch(op, bpor_canonical(start, BPOR_CLASS_MEMORY, &allocation_site), (uint32_t)bytes, true);
    bpor_step();
}

bool bpor_quarantine(void *block, const void *site)
{
    uintptr_t start = (uintptr_t)block;
    const struct allocation *allocation = bpor_heap_find(start);
    if (quarantine == NULL || block == NULL)
        return false;
    if (allocation == NULL) {
        const struct freed *freed = find(start);
        if (freed && freed->block.start == start)
            double_free(freed);
        return false;
    }
    struct allocation kept = *allocation; /* its entry is given up below */
    size_t size = kept.size;
    if (kept.start != start || size > LARGEST)
        return false;
    if (bpor_locations_within(start, size)) {
        free_step(start, size, site);
        if (bpor_heap_find(start) == NULL)
            double_free(find(start)); /* another thread was first */
    }
    while (quarantine->end > quarantine->first &&
           (quarantine->end - quarantine->first == RECORDS || quarantine->bytes + size > MOST_BYTES))
        release_oldest();
    uint64_t number = quarantine->end++;
    bool described = bpor->plan.flags & BPOR_PLAN_DESCRIBE;
    quarantine->freed[number % RECORDS] =
        (struct freed){.block = kept, .thread = bpor_self->id, .stack = described ? bpor_stack_remember(bpor_self, site) : 0};
    quarantine->bytes += size;
    bpor_shadow_freed(bpor_self, start, size, (uint32_t)(number % RECORDS), site);
    bpor_heap_freed(block);
    return true;
}
