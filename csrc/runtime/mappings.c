/* Touches what is known of the memory, never the memory itself. */
#include "runtime/mappings.h"
#include "runtime/objects.h"
#include "runtime/page.h"
#include "runtime/race.h"

/* Whoever is about to use one finds it gone, and the memory is not looked at. */
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

void bpor_mapping_ends(uintptr_t start, size_t bytes, const void *site)
{
    const struct allocation memory = {.start = start, .size = whole_pages(bytes)};
    if (start % PAGE != 0 || memory.size == 0 || start + memory.size < start)
        return; /* the kernel refuses */
    bpor_free_step(OP_UNMAP, &memory, site);
    uint32_t stack = bpor->plan.flags & BPOR_PLAN_DESCRIBE ? bpor_stack_remember(bpor_self, site) : 0;
    bpor_shadow_unmapped(bpor_self, memory.start, memory.size, stack);
    end_objects(&memory, stack);
    forget(memory.start, memory.size);
    forget_stacks(memory.start, memory.size);
}

void bpor_mapping_begins(uintptr_t start, size_t bytes)
{
    forget(start, whole_pages(bytes));
}
