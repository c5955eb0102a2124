/* Only what is known about the memory is changed here, never the memory itself. The address of a mapping depends on what else is
 * mapped and on the carrier of the threads, so a place in a mapping is named by its thread and a number, as blocks of the heap
 * are. */
#include "memory/mappings.h"
#include "arch/x86_64/page.h"
#include "race/race.h"
#include "runtime/objects.h"
#include "runtime/reserve.h"
#include <string.h>

enum { MOST = 1 << 12 };

static struct mappings {
    uint32_t count; /* the newest last; one that covers another hides it */
    struct allocation mapping[MOST];
} * known;

void bpor_mappings_reserve(void)
{
    known = bpor_reserve(sizeof *known);
}

const struct allocation *bpor_mapping_find(uintptr_t address)
{
    for (uint32_t i = known->count; i-- > 0;)
        if (address - known->mapping[i].start < known->mapping[i].size)
            return &known->mapping[i];
    return NULL;
}

void bpor_mappings_digest(struct digest *set)
{
    for (uint32_t i = 0; i < known->count; i++)
        allocation_digest(set, &known->mapping[i]);
}

/* With more of them than there is room for, the rest are named by address. */
static void remember(uintptr_t start, size_t bytes, const void *site)
{
    uint32_t number = ++bpor_self->mappings;
    if (known->count == MOST || bytes == 0)
        return;
    known->mapping[known->count++] = (struct allocation){
        .start = start,
        .size = bytes,
        .site = (uint64_t)site,
        .region = (uint32_t)bpor_mix(bpor_mix(bpor_self->name, number), 5) & 0x3ffffff,
    };
}

/* What is left of one that goes in part keeps its name. */
static void drop(uintptr_t start, size_t bytes)
{
    for (uint32_t i = known->count; i-- > 0;) {
        const struct allocation *one = &known->mapping[i];
        if (one->start - start < bytes && one->size <= bytes - (one->start - start))
            memmove(&known->mapping[i], &known->mapping[i + 1], (--known->count - i) * sizeof known->mapping[0]);
    }
}

/* A thread that is about to use such an object finds it gone, and the memory is not read. */
static void end_objects(const struct allocation *memory, uint32_t stack)
{
    for (struct object *object = NULL; (object = bpor_object_within(object, memory->start, memory->size)) != NULL;)
        object->unmapped = true;
    bpor_objects_free(memory->start, memory->size, bpor_self->id, stack);
}

static void forget(uintptr_t start, size_t bytes)
{
    bpor_objects_forget(start, bytes);
    bpor_locations_forget(start, bytes);
    bpor_shadow_clear(start, bytes);
    drop(start, bytes);
}

static size_t whole_pages(size_t bytes)
{
    return (bytes + PAGE - 1) & ~(size_t)(PAGE - 1);
}

/* A stack that the program gave, of a thread that has ended, is not to be found there again. */
static void forget_stacks(uintptr_t start, size_t bytes)
{
    for (unsigned i = 0; i < bpor->threads; i++) {
        struct thread *thread = &bpor->thread[i];
        if (thread->stack_is_programs && thread->state == THREAD_FINISHED && thread->stack_low - start < bytes)
            thread->stack_low = thread->stack_top = 0;
    }
}

/* As far as names from the one of its first byte on reach. */
static size_t bytes_of_one_name(uintptr_t start, size_t bytes)
{
    for (uint32_t i = 0; i < known->count; i++) {
        uintptr_t to_start = known->mapping[i].start - start, to_end = to_start + known->mapping[i].size;
        if (to_start > 0 && to_start < bytes)
            bytes = to_start;
        if (to_end > 0 && to_end < bytes)
            bytes = to_end;
    }
    return bytes;
}

static void unmap_steps(uintptr_t start, size_t bytes, const void *site)
{
    while (bytes > 0) {
        const struct allocation part = {.start = start, .size = bytes_of_one_name(start, bytes)};
        bpor_free_step(OP_UNMAP, &part, site);
        start += part.size;
        bytes -= part.size;
    }
}

void bpor_mapping_ends(uintptr_t start, size_t bytes, const void *site)
{
    const struct allocation memory = {.start = start, .size = whole_pages(bytes)};
    if (start % PAGE != 0 || memory.size == 0 || start + memory.size < start)
        return; /* the kernel refuses */
    unmap_steps(memory.start, memory.size, site);
    uint32_t stack = bpor->plan.flags & BPOR_PLAN_DESCRIBE ? bpor_stack_remember(bpor_self, site) : 0;
    bpor_shadow_unmapped(bpor_self, memory.start, memory.size, stack);
    end_objects(&memory, stack);
    forget(memory.start, memory.size);
    forget_stacks(memory.start, memory.size);
}

void bpor_mapping_begins(uintptr_t start, size_t bytes, const void *site)
{
    forget(start, whole_pages(bytes));
    remember(start, whole_pages(bytes), site);
}
