#include "python/references.h"
#include "memory/memory.h"
#include "python/gil.h"
#include "python/layout.h"
#include "python/objects.h"
#include "race/race.h"
#include "runtime/objects.h"
#include <stdio.h>

enum { MOST = 8, MOST_ENDED = 64 }; /* that a thread has at once; an older one is forgotten */
#define NEVER UINT32_MAX

struct reference {
    uintptr_t object; /* 0: none */
    uintptr_t end;
    uint64_t source;
    uint32_t source_bytes;
    uint32_t used_at; /* steps of the thread then: what follows without a step in between is the same use; or NEVER */
};

static struct references {
    unsigned count; /* those that there ever were: the next one's place */
    struct reference at[MOST];
} references[BPOR_MAX_THREADS];

static const void *called_at[BPOR_MAX_THREADS];

/* The last objects that ended, by instrumented code. */
static struct ended {
    uintptr_t object;
    uint32_t thread;
    uint32_t stack;
} ended[MOST_ENDED];
static unsigned ends;

static struct reference *find(uintptr_t address)
{
    struct references *mine = &references[bpor_self->id];
    for (unsigned i = 0; i < MOST; i++)
        if (mine->at[i].object && address - mine->at[i].object < mine->at[i].end - mine->at[i].object)
            return &mine->at[i];
    return NULL;
}

bool bpor_references_any(void)
{
    return bpor_self && references[bpor_self->id].count > 0;
}

bool bpor_references_within(uintptr_t start, size_t bytes)
{
    for (unsigned thread = 0; thread < bpor->threads; thread++)
        for (unsigned i = 0; references[thread].count && i < MOST; i++)
            if (references[thread].at[i].object && references[thread].at[i].object - start < bytes)
                return true;
    return false;
}

void bpor_reference_lent(uintptr_t object, uint64_t source, uint32_t bytes)
{
    struct references *mine = &references[bpor_self->id];
    if (!bpor_layout_is_mortal(object) || bpor_layout_is_dead(object))
        return;
    struct reference *known = find(object);
    struct reference *entry = known && known->object == object ? known : &mine->at[mine->count++ % MOST];
    *entry = (struct reference){object, object + bpor_layout_size(object), source, bytes, NEVER};
}

void bpor_reference_loaded(uintptr_t word, uint64_t source, uint32_t bytes)
{
    if (word && bpor_gil_is_off() && !bpor->unexplored && bpor_layout_is_object(word))
        bpor_reference_lent(word, source, bytes);
}

void bpor_references_forget(void)
{
    references[bpor_self->id].count = 0;
    for (unsigned i = 0; i < MOST; i++)
        references[bpor_self->id].at[i].object = 0;
}

void bpor_reference_check(uintptr_t object)
{
    if (bpor_checks != CHECK_NOTHING)
        bpor_shadow_alone(object, sizeof(uintptr_t), false);
}

/* Its memory may still be the interpreter's. */
static void report_dead(uintptr_t object)
{
    struct bpor_end *end = &bpor->shared->end;
    if (bpor->fault)
        return;
    snprintf(end->message, sizeof end->message, "use after free: T%u uses an object of Python that has no reference left",
             bpor_self->id);
    end->address = object;
    end->other_thread = BPOR_NO_THREAD;
    for (unsigned i = 0; i < MOST_ENDED; i++)
        if (ended[i].object == object)
            bpor_end_other_stack(ended[i].thread, ended[i].stack);
    bpor_fault(BPOR_OUTCOME_MEMORY);
}

/* What the running thread does to it from now on is how it ends. */
void bpor_reference_ends(uintptr_t object, const void *site)
{
    bool described = bpor->plan.flags & BPOR_PLAN_DESCRIBE;
    struct reference *mine = find(object);
    if (mine && mine->object == object)
        mine->object = 0;
    if (bpor->threads > 1)
        ended[ends++ % MOST_ENDED] = (struct ended){object, bpor_self->id, described ? bpor_stack_remember(bpor_self, site) : 0};
}

static void look(const struct reference *reference)
{
    bpor_reference_check(reference->object);
    if (bpor_layout_is_dead(reference->object))
        report_dead(reference->object);
}

/* The object is where it was, or has been freed meanwhile, which is told by the access itself. */
static void use(struct reference *reference, const void *site)
{
    uint64_t allocation_site = 0;
    if (!bpor_gil_is_off()) {
        look(reference);
        return;
    }
    if (reference->used_at == bpor_self->steps)
        return;
    uint64_t object = bpor_canonical(reference->object, BPOR_CLASS_MEMORY, &allocation_site);
    struct operation *op = bpor_operation(OP_REFERENCE_USE, site);
    bpor_emit_place(object, reference->object, allocation_site);
    bpor_touch(op, object, 1, false);
    bpor_touch(op, reference->source, reference->source_bytes, false);
    bpor_step();
    reference->used_at = bpor_self->steps;
    look(reference);
}

void bpor_reference_access(uintptr_t address, size_t bytes, bool write, const void *site)
{
    struct reference *reference = find(address);
    if (reference == NULL || bpor->unexplored)
        return;
    bool counts = bpor_layout_counts(reference->object, address);
    use(reference, site);
    if (counts && write)
        reference->object = 0; /* taken, or given up */
    else if (!counts && !write && bytes == sizeof(uintptr_t) && !bpor_quarantine_find(address))
        bpor_reference_loaded(*(const uintptr_t *)address, reference->source, reference->source_bytes);
}

void bpor_reference_given(uintptr_t object, const void *site)
{
    struct reference *reference = bpor_references_any() ? find(object) : NULL;
    if (reference)
        use(reference, site);
    bpor_reference_check(object);
}

void bpor_references_called(const void *site)
{
    called_at[bpor_self->id] = site;
}

const void *bpor_references_site(const void *site)
{
    const void *called = bpor_gil.mutex || bpor_gil.absent ? called_at[bpor_self->id] : NULL;
    return called && bpor_python_calls(site) ? called : site;
}
