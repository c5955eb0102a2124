/* Which block holds an address, and who allocated it: gives heap objects names that repeat in equivalent executions.
 *
 * A name is (thread, number). A block that its own thread frees leaves its number to the thread's next block of the same call
 * site, so that a loop that allocates and frees comes back to the same names. That two blocks, one after the other, have one name
 * makes more steps dependent, never fewer. What another thread freed is not given again: when that was done may differ between
 * equivalent executions.
 *
 * Blocks are chained by the page of their first byte; a look-up walks back a few pages. Larger blocks stand in a list of their
 * own. */
#include "memory/memory.h"
#include "python/gil.h"
#include "python/objects.h"
#include "race/race.h"
#include "race/state.h"
#include "runtime/objects.h"
#include "runtime/reserve.h"

enum { CAPACITY = 1 << 20, BUCKETS = 1 << 16, PAGE_SHIFT = 12, NEAR_PAGES = 16, MOST_REUSED = 64, KINDS = 512 };
_Static_assert(HEAP_LARGE == (NEAR_PAGES - 1) << PAGE_SHIFT, "a look-up walks back that far");

static struct heap {
    uint32_t count;
    uint32_t free;  /* re-usable entries, index + 1 */
    uint32_t large; /* chain of large blocks */
    bool overflow;  /* too many live blocks: later ones are named by address */
    uint32_t bucket[BUCKETS];
    struct reusable {
        uint32_t first; /* entries of blocks that their thread freed, the last one first; index + 1 */
        uint32_t count;
    } reusable[BPOR_MAX_THREADS];
    struct counted {
        uint32_t kind;
        uint32_t count;
    } counted[BPOR_MAX_THREADS][KINDS]; /* blocks in a process that has an interpreter */
    struct allocation allocation[CAPACITY];
} * heap;

void bpor_heap_reserve(void)
{
    heap = bpor_reserve(sizeof *heap);
}

static uint32_t *chain_of(uintptr_t start, size_t bytes)
{
    return bytes > HEAP_LARGE ? &heap->large : &heap->bucket[bpor_mix(start >> PAGE_SHIFT, 1) % BUCKETS];
}

static uint32_t *find_link(uint32_t *chain, uintptr_t start)
{
    for (uint32_t *link = chain; *link; link = &heap->allocation[*link - 1].next)
        if (heap->allocation[*link - 1].start == start)
            return link;
    return NULL;
}

/* An interpreter allocates for itself whenever it has to, and as much as it has to, which depends on what its process did before:
 * a larger table of interned strings, less room for the attributes of the next instance, a queue of what it frees later. So there
 * a block is counted among those of its kind: of its size, and asked for by the same code, if that is the interpreter's. */
static uint32_t kind_of_block(size_t bytes, const void *site)
{
    return (uint32_t)bpor_mix(bytes, 7 + bpor_python_offset(site));
}

/* One that is not there yet is at 0. Once the table is full, two kinds are counted together. */
static struct counted *counted(const struct thread *self, uint32_t kind)
{
    struct counted *mine = heap->counted[self->id];
    for (uint32_t at = kind, tried = 0; tried < KINDS; at++, tried++)
        if (mine[at % KINDS].kind == kind || mine[at % KINDS].count == 0) {
            mine[at % KINDS].kind = kind;
            return &mine[at % KINDS];
        }
    return &mine[kind % KINDS];
}

static uint32_t number_of(struct thread *self, size_t bytes, const void *site)
{
    uint32_t number = ++self->allocations;
    if (!bpor_gil.interpreter)
        return number;
    uint32_t kind = kind_of_block(bytes, site);
    return (uint32_t)bpor_mix(++counted(self, kind)->count, kind);
}

/* An entry whose name may be given again, or 0. */
static uint32_t take_reusable(const struct thread *thread, uint64_t site)
{
    struct reusable *mine = &heap->reusable[thread->id];
    for (uint32_t *link = &mine->first; *link; link = &heap->allocation[*link - 1].next) {
        uint32_t index = *link;
        if (heap->allocation[index - 1].site != site)
            continue;
        *link = heap->allocation[index - 1].next;
        mine->count--;
        return index;
    }
    return 0;
}

/* An entry with a new name, or 0: there are too many blocks. */
static uint32_t take_new(struct thread *thread, size_t bytes, const void *site)
{
    uint32_t number = number_of(thread, bytes, site), index = heap->free;
    if (index)
        heap->free = heap->allocation[index - 1].next;
    else if (heap->count < CAPACITY)
        index = ++heap->count;
    else
        return 0;
    heap->allocation[index - 1].region = (uint32_t)bpor_mix(bpor_mix(thread->name, number), 2) & 0x3ffffff;
    return index;
}

/* When an interpreter frees depends on addresses, which differ between two of its processes: its cache of attributes keeps the
 * name that was looked up until another name comes to the same slot. A free-threaded one also does it late. */
static bool is_freed_at_will(const struct allocation *freed)
{
    return bpor_gil.interpreter && (bpor_gil.free_threaded || bpor_python_calls((const void *)freed->site));
}

static void give_up(uint32_t index, const struct allocation *freed)
{
    struct reusable *mine = &heap->reusable[bpor_self->id];
    bool own = freed->owner == bpor_self->id && mine->count < MOST_REUSED && !is_freed_at_will(freed);
    uint32_t *list = own ? &mine->first : &heap->free;
    mine->count += own;
    heap->allocation[index - 1] = (struct allocation){.next = *list, .site = freed->site, .region = freed->region};
    *list = index;
}

void bpor_heap_allocated(void *block, size_t bytes, const void *site)
{
    struct thread *self = bpor_self;
    if (block == NULL || self == NULL || heap == NULL || (bpor->forked && self->shielded))
        return; /* shielded: libc allocates for a new thread, and it does so with one of the two carriers only */
    uint32_t index = take_reusable(self, (uint64_t)site);
    if (index == 0)
        index = take_new(self, bytes, site);
    if (index == 0) {
        heap->overflow = true;
        bpor_shadow_clear((uintptr_t)block, bytes);
        return;
    }
    uint32_t *chain = chain_of((uintptr_t)block, bytes);
    heap->allocation[index - 1] = (struct allocation){
        .start = (uintptr_t)block,
        .size = bytes,
        .site = (uint64_t)site,
        .next = *chain,
        .region = heap->allocation[index - 1].region,
        .owner = self->id,
    };
    *chain = index;
    bpor_shadow_allocated(self, &heap->allocation[index - 1]);
}

static void reusable_digest(const struct thread *thread, struct digest *set)
{
    struct digest names = digest_of(thread->name);
    if (thread->state == THREAD_FINISHED || heap->reusable[thread->id].count == 0)
        return;
    for (uint32_t at = heap->reusable[thread->id].first; at; at = heap->allocation[at - 1].next) {
        digest_next(&names, heap->allocation[at - 1].region);
        digest_next(&names, heap->allocation[at - 1].site);
    }
    digest_include(set, names);
}

void bpor_heap_digest(struct digest *set)
{
    for (uint32_t i = 0; i < heap->count; i++)
        if (heap->allocation[i].start)
            allocation_digest(set, &heap->allocation[i]);
    for (unsigned i = 0; i < bpor->threads; i++)
        reusable_digest(&bpor->thread[i], set);
}

void bpor_heap_each_born(void (*visit)(epoch when))
{
    for (uint32_t at = heap->large; at; at = heap->allocation[at - 1].next)
        visit(heap->allocation[at - 1].born);
}

void bpor_heap_born_digest(struct digest *set, uint64_t (*meaning_of)(epoch when))
{
    for (uint32_t at = heap->large; at; at = heap->allocation[at - 1].next) {
        struct digest block = digest_of(heap->allocation[at - 1].start);
        digest_next(&block, meaning_of(heap->allocation[at - 1].born));
        digest_include(set, block);
    }
}

static uint32_t *link_to(uintptr_t start)
{
    uint32_t *link = find_link(chain_of(start, 0), start);
    return link ? link : find_link(&heap->large, start);
}

const struct allocation *bpor_heap_at(uintptr_t start)
{
    const uint32_t *link = link_to(start);
    return link ? &heap->allocation[*link - 1] : NULL;
}

bool bpor_heap_knows_all(void)
{
    return !heap->overflow;
}

void bpor_heap_freed(void *block, bool kept)
{
    if (block == NULL || bpor_self == NULL || heap == NULL)
        return;
    uint32_t *link = link_to((uintptr_t)block);
    if (link == NULL)
        return;
    uint32_t index = *link;
    heap->allocation[index - 1].born = 0; /* as in quarantine.c */
    struct allocation freed = heap->allocation[index - 1];
    if (!kept)
        bpor_objects_forget(freed.start, freed.size);
    bpor_locations_forget(freed.start, freed.size);
    *link = freed.next;
    give_up(index, &freed);
}

static const struct allocation *find_in(uint32_t index, uintptr_t address)
{
    for (; index; index = heap->allocation[index - 1].next) {
        const struct allocation *allocation = &heap->allocation[index - 1];
        if (address - allocation->start < allocation->size)
            return allocation;
    }
    return NULL;
}

const struct allocation *bpor_heap_find(uintptr_t address)
{
    for (unsigned back = 0; back < NEAR_PAGES; back++) {
        uintptr_t page = (address >> PAGE_SHIFT) - back;
        const struct allocation *found = find_in(heap->bucket[bpor_mix(page, 1) % BUCKETS], address);
        if (found)
            return found;
    }
    return bpor_heap_find_large(address);
}

const struct allocation *bpor_heap_find_large(uintptr_t address)
{
    return find_in(heap->large, address);
}
