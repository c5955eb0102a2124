/* Freed blocks. A block in which a late access can be detected is kept for a while before it goes back to libc, so that the late
 * access hits a block that is known to be free and not somebody else's new block. That is every block of an instrumented program,
 * and in any program every block with a synchronisation object in it. Of all other blocks only the address is remembered: a late
 * call is detected as long as the memory was not allocated again. --quarantine=off gives every block back at once and remembers
 * none.
 *
 * Where states are recognised, a block whose address no thread has any more (reached.c) goes back to libc at the next free;
 * otherwise a loop that allocates and frees would get new addresses for ever and never come back to a state. */
#include "memory/reached.h"
#include "python/references.h"
#include "race/race.h"
#include "race/state.h"
#include "reset/guard.h"
#include "runtime/lifetimes.h"
#include "runtime/objects.h"
#include "runtime/reserve.h"
#include <stdio.h>

extern void __libc_free(void *block);

enum { RECORDS = 1 << 14, MOST_BYTES = 64 << 20, MOST_BYTES_UNWATCHED = 1 << 20, LARGEST = 4 << 20, MOST_DRAINED = 1 << 10 };

struct freed {
    struct allocation block;
    uint16_t thread;
    bool kept;      /* libc does not have it back yet */
    uint32_t stack; /* of the free */
    uint32_t next;  /* large one that is looked for by its range; index + 1 */
};

static struct quarantine {
    uint64_t first, end; /* records in use: first <= number < end, at number % RECORDS */
    uint64_t bytes;      /* kept */
    uint64_t drained;    /* after so many steps, plus 1 */
    uintptr_t low, high; /* no record lies outside */
    uint32_t large;      /* the first of those whose cells do not say that they are free; index + 1 */
    struct freed freed[RECORDS];
} * quarantine;

static struct candidate *candidates; /* made anew each time */

void bpor_quarantine_reserve(void)
{
    quarantine = bpor_reserve(sizeof *quarantine);
    candidates = bpor_reserve_kept(MOST_DRAINED * sizeof *candidates);
    bpor_reached_reserve();
}

static void watch_range(struct freed *freed)
{
    freed->next = quarantine->large;
    quarantine->large = (uint32_t)(freed - quarantine->freed) + 1;
}

static void forget_range(const struct freed *freed)
{
    uint32_t index = (uint32_t)(freed - quarantine->freed) + 1;
    for (uint32_t *link = &quarantine->large; *link; link = &quarantine->freed[*link - 1].next)
        if (*link == index) {
            *link = freed->next;
            return;
        }
}

bool bpor_quarantine_large(uintptr_t address, size_t bytes, uint32_t *record)
{
    for (uint32_t at = quarantine ? quarantine->large : 0; at; at = quarantine->freed[at - 1].next) {
        const struct allocation *block = &quarantine->freed[at - 1].block;
        *record = at - 1;
        if (address < block->start + block->size && address + bytes > block->start)
            return true;
    }
    return false;
}

static void release(struct freed *freed)
{
    struct allocation block = freed->block;
    bool kept = freed->kept;
    forget_range(freed);
    *freed = (struct freed){.kept = false};
    if (!kept)
        return;
    quarantine->bytes -= block.size;
    bpor_shadow_clear(block.start, block.size);
    bpor_objects_forget(block.start, block.size);
    __libc_free((void *)block.start);
}

static void release_oldest(void)
{
    release(&quarantine->freed[quarantine->first++ % RECORDS]);
}

static unsigned collect_kept(void)
{
    unsigned count = 0;
    for (uint64_t i = quarantine->first; i < quarantine->end && count < MOST_DRAINED; i++) {
        const struct freed *freed = &quarantine->freed[i % RECORDS];
        if (freed->kept)
            candidates[count++] =
                (struct candidate){freed->block.start, freed->block.start + freed->block.size, (uint32_t)i, false};
    }
    return count;
}

/* Once between two steps: what is freed meanwhile waits for the next time. */
void bpor_quarantine_drain(void)
{
    if (quarantine == NULL || !bpor_states_are_known() || bpor_guard_problem() || quarantine->drained == bpor->steps + 1)
        return;
    quarantine->drained = bpor->steps + 1;
    unsigned count = collect_kept();
    if (count == 0 || !bpor_reached(candidates, count))
        return;
    for (unsigned i = 0; i < count; i++)
        if (!candidates[i].reached)
            release(&quarantine->freed[candidates[i].record % RECORDS]);
    while (quarantine->first < quarantine->end && quarantine->freed[quarantine->first % RECORDS].block.size == 0)
        quarantine->first++;
}

static const struct freed *find(uintptr_t address)
{
    if (quarantine == NULL || address < quarantine->low || address >= quarantine->high)
        return NULL;
    for (uint64_t i = quarantine->end; i-- > quarantine->first;) {
        const struct freed *freed = &quarantine->freed[i % RECORDS];
        if (address - freed->block.start < freed->block.size)
            return freed;
    }
    return NULL;
}

static const struct freed *find_kept(uintptr_t start)
{
    const struct freed *freed = find(start);
    return freed && freed->kept && freed->block.start == start ? freed : NULL;
}

const struct allocation *bpor_quarantine_find(uintptr_t address)
{
    const struct freed *freed = find(address);
    return freed ? &freed->block : NULL;
}

bool bpor_quarantine_holds(uintptr_t address, unsigned *by, uint32_t *stack)
{
    const struct freed *freed = find(address);
    if (freed == NULL || !bpor_heap_knows_all() || bpor_heap_find(address))
        return false;
    *by = freed->thread;
    *stack = freed->stack;
    return true;
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

/* libc writes it before each one (malloc.c, "chunk"). */
size_t bpor_libcs_size(uintptr_t start)
{
    enum { FLAGS = 7, MAPPED = 2, HEADER = 2 * sizeof(size_t), SMALLEST = 32 };
    size_t head = ((const size_t *)start)[-1], bytes = head & ~(size_t)FLAGS;
    if (bytes < SMALLEST || bytes % HEADER != 0 || start % HEADER != 0)
        return 0;
    return bytes - (head & MAPPED ? HEADER : sizeof(size_t));
}

static bool is_mapped(uintptr_t start)
{
    enum { MAPPED = 2 };
    return ((const size_t *)start)[-1] & MAPPED;
}

/* False: it is none, or an empty one. */
static bool block_at(uintptr_t start, struct allocation *block)
{
    const struct allocation *known = bpor_heap_at(start);
    if (known)
        *block = *known;
    else if (bpor_heap_find(start)) /* the address lies inside a block: libc reports that error */
        return false;
    else
        *block = (struct allocation){.start = start, .size = bpor_libcs_size(start)};
    block->born = 0; /* the stack is part of a state, so no value that depends on elapsed time may stay on it */
    return block->size > 0;
}

/* Would a late access be seen? */
static bool is_watched(const struct allocation *block)
{
    return bpor_races_wanted() || bpor_object_within(NULL, block->start, block->size) ||
           bpor_futex_within(block->start, block->size);
}

static bool is_kept(const struct allocation *block)
{
    return block->size <= LARGEST && is_watched(block);
}

static bool holds_living_objects(const struct allocation *block)
{
    for (struct object *object = NULL; (object = bpor_object_within(object, block->start, block->size)) != NULL;)
        if (!bpor_lifetime_ended_by_call(object))
            return true;
    return false;
}

/* A free is a write to the block. Where atomics or synchronisation objects live in it, it is also an operation: the search tries
 * it before and after their uses. Those that were destroyed have had theirs. */
void bpor_free_step(enum operation_kind kind, const struct allocation *block, const void *site)
{
    uint64_t allocation_site;
    bool atomics = bpor_locations_within(block->start, block->size) || bpor_futex_within(block->start, block->size) ||
                   bpor_references_within(block->start, block->size);
    bool objects = holds_living_objects(block);
    if (bpor->threads == 1 || (!atomics && !objects))
        return;
    struct operation *op = bpor_operation(kind, site);
    if (atomics)
        bpor_touch(op, bpor_canonical(block->start, BPOR_CLASS_MEMORY, &allocation_site), (uint32_t)block->size, true);
    if (objects)
        bpor_touch(op, bpor_canonical(block->start, BPOR_CLASS_SYNC, &allocation_site), (uint32_t)block->size, true);
    op->argument = (int64_t)(uintptr_t)block;
    bpor_step();
}

static struct freed *remember(const struct allocation *block, bool kept, const void *site)
{
    uint64_t most = bpor_races_wanted() ? MOST_BYTES : MOST_BYTES_UNWATCHED;
    while (quarantine->end > quarantine->first &&
           (quarantine->end - quarantine->first == RECORDS || (kept && quarantine->bytes + block->size > most)))
        release_oldest();
    bool described = bpor->plan.flags & BPOR_PLAN_DESCRIBE;
    struct freed *freed = &quarantine->freed[quarantine->end++ % RECORDS];
    *freed = (struct freed){
        .block = *block, .thread = bpor_self->id, .kept = kept, .stack = described ? bpor_stack_remember(bpor_self, site) : 0};
    quarantine->bytes += kept ? block->size : 0;
    if (quarantine->low == 0 || block->start < quarantine->low)
        quarantine->low = block->start;
    if (block->start + block->size > quarantine->high)
        quarantine->high = block->start + block->size;
    return freed;
}

static void keep(const struct allocation *block, const void *site)
{
    struct freed *freed = remember(block, true, site);
    if (bpor_races_wanted() && bpor_checks == CHECK_NOTHING)
        bpor_look_for(CHECK_FREED);
    if (bpor_races_wanted())
        bpor_shadow_freed(bpor_self, block->start, block->size, (uint32_t)(freed - quarantine->freed), site);
    if (bpor_races_wanted() && block->size > HEAP_LARGE)
        watch_range(freed);
    bpor_objects_free(block->start, block->size, freed->thread, freed->stack);
    bpor_heap_freed((void *)block->start, true);
}

/* libc has it back at once. One that it maps by itself it unmaps, and anybody's mapping may come in its place. */
static void let_go(const struct allocation *block, const void *site)
{
    const struct freed *freed = is_mapped(block->start) ? NULL : remember(block, false, site);
    bpor_objects_free(block->start, block->size, bpor_self->id, freed ? freed->stack : 0);
    bpor_objects_forget(block->start, block->size);
}

size_t bpor_quarantine_wants(void *start)
{
    struct allocation block;
    bool wanted = quarantine && start && block_at((uintptr_t)start, &block) && is_kept(&block);
    return wanted ? block.size : 0;
}

bool bpor_quarantine(void *start, const void *site)
{
    struct allocation block;
    if (quarantine == NULL || start == NULL)
        return false;
    site = bpor_references_site(site);
    const struct freed *freed = bpor_heap_at((uintptr_t)start) ? NULL : find_kept((uintptr_t)start);
    if (freed)
        double_free(freed);
    if (!block_at((uintptr_t)start, &block))
        return false;
    if (is_watched(&block)) {
        bpor_free_step(OP_FREE, &block, site);
        freed = bpor_heap_at(block.start) ? NULL : find_kept(block.start);
        if (freed)
            double_free(freed); /* another thread was first */
    }
    bpor_references_disown(block.start, block.size);
    if (!is_kept(&block)) {
        let_go(&block, site);
        return false;
    }
    keep(&block, site);
    return true;
}

/* In the order in which they go back to libc. */
void bpor_quarantine_digest(struct digest *set)
{
    struct digest all = digest_of(quarantine->bytes);
    if (quarantine->first == quarantine->end)
        return;
    for (uint64_t i = quarantine->first; i < quarantine->end; i++) {
        const struct freed *freed = &quarantine->freed[i % RECORDS];
        if (freed->block.size == 0)
            continue;
        digest_next(&all, freed->block.start);
        digest_next(&all, freed->block.size << 1 | freed->kept);
    }
    digest_include(set, all);
}
