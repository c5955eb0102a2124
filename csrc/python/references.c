#include "python/references.h"
#include "memory/memory.h"
#include "python/gil.h"
#include "python/layout.h"
#include "python/objects.h"
#include "race/race.h"
#include "runtime/objects.h"
#include <stdio.h>

enum { MOST = 16, MOST_ENDED = 64, MOST_HELD = 6 }; /* that a thread has at once; an older one is forgotten */
#define NEVER UINT32_MAX

enum way { LOOKS, COUNTS, IS_GIVEN }; /* in which an object is used: at a field, by its count, or by the interpreter */

struct reference {
    uintptr_t object; /* 0: none */
    uintptr_t end;
    uint64_t source;
    uint32_t source_bytes;
    uint32_t used_at; /* steps of the thread then: what follows without a step in between is the same use; or NEVER */
    uint32_t owned;   /* references of the thread's own that were seen: with one its uses are its own business */
};

static struct references {
    unsigned count; /* those that there ever were: the next one's place */
    struct reference at[MOST];
} references[BPOR_MAX_THREADS];

static const void *called_at[BPOR_MAX_THREADS];
static uintptr_t held[BPOR_MAX_THREADS][MOST_HELD]; /* objects, for a while, or 0 */

/* The last objects that ended, by instrumented code. */
static struct ended {
    uintptr_t object;
    uint32_t thread;
    uint32_t stack;
    bool goes_on; /* its type's own deallocator, which is instrumented, has not returned */
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
    return bpor_reference_is_open || (bpor_self && references[bpor_self->id].count > 0);
}

bool bpor_references_within(uintptr_t start, size_t bytes)
{
    for (unsigned thread = 0; thread < bpor->threads; thread++)
        for (unsigned i = 0; references[thread].count && i < MOST; i++)
            if (references[thread].at[i].object && references[thread].at[i].object - start < bytes)
                return true;
    return false;
}

static struct reference *find_object(uintptr_t object)
{
    struct reference *known = find(object);
    return known && known->object == object ? known : NULL;
}

/* One that is owned is the first to be forgotten: its uses are no operations. */
static struct reference *room(void)
{
    struct references *mine = &references[bpor_self->id];
    unsigned next = mine->count++ % MOST;
    for (unsigned i = 0; i < MOST; i++)
        if (mine->at[(next + i) % MOST].object == 0)
            return &mine->at[(next + i) % MOST];
    for (unsigned i = 0; i < MOST; i++)
        if (mine->at[(next + i) % MOST].owned)
            return &mine->at[(next + i) % MOST];
    return &mine->at[next];
}

static void remember(uintptr_t object, uint64_t source, uint32_t bytes, uint32_t owned)
{
    if (!bpor_layout_is_mortal(object) || bpor_layout_is_dead(object))
        return;
    struct reference *known = find_object(object);
    *(known ? known : room()) = (struct reference){object, object + bpor_layout_size(object), source, bytes, NEVER, owned};
}

void bpor_reference_lent(uintptr_t object, uint64_t source, uint32_t bytes)
{
    bpor_reference_settle();
    remember(object, source, bytes, 0);
}

void bpor_reference_loaded(uintptr_t word, uint64_t source, uint32_t bytes)
{
    if (word && bpor_gil_is_off() && !bpor->unexplored && bpor_layout_is_object(word))
        bpor_reference_lent(word, source, bytes);
}

/* Some room is left to places that race. */
bool bpor_references_make_places(void)
{
    const struct bpor_config *config = &bpor->shared->config;
    enum { ROOM = sizeof config->visible / sizeof config->visible[0] / 2 };
    return config->races == BPOR_RACES_EXPLORE && config->visible_count < ROOM && bpor_gil_is_off() && !bpor->unexplored;
}

bool bpor_reference_lies_at(uintptr_t address)
{
    uintptr_t word;
    return bpor_python_word(address, &word) && word && bpor_layout_is_object(word) && bpor_layout_is_mortal(word);
}

void bpor_reference_returned(uintptr_t object, uint64_t source, uint32_t bytes)
{
    bpor_reference_settle();
    struct reference *known = find_object(object);
    remember(object, source, bytes, known ? known->owned + 1 : 1);
}

/* ---- given away ---- */

/* A thread that borrowed the reference, or has given it away before, does not come to own it by storing it in one more place. */
void bpor_reference_shared(uintptr_t object, uint64_t source, uint32_t bytes)
{
    bpor_reference_settle();
    if (find_object(object) == NULL)
        remember(object, source, bytes, 1);
}

void bpor_reference_moved(uintptr_t object, uint64_t source, uint32_t bytes)
{
    bpor_reference_settle();
    struct reference *known = find_object(object);
    remember(object, source, bytes, known && known->owned ? known->owned - 1 : 0);
}

static uint32_t holders(uintptr_t object)
{
    uint32_t count = 0;
    for (unsigned thread = 0; thread < bpor->threads; thread++)
        for (unsigned i = 0; i < MOST_HELD; i++)
            count += held[thread][i] == object;
    return count;
}

static void note_end(uintptr_t object, const void *site, bool goes_on)
{
    bool described = bpor->plan.flags & BPOR_PLAN_DESCRIBE;
    uint32_t stack = described ? bpor_stack_remember(bpor_self, site) : 0;
    ended[ends++ % MOST_ENDED] = (struct ended){object, bpor_self->id, stack, goes_on};
}

void bpor_reference_ended(uintptr_t object)
{
    for (unsigned i = 0; i < MOST_ENDED; i++)
        if (ended[i].object == object)
            ended[i].goes_on = false;
}

/* Until then its memory is there. A deallocator that takes the object out of a list of its own, under a lock, leaves it there for
 * others while it waits for the lock. */
static bool is_ending(uintptr_t object)
{
    for (unsigned i = 0; i < MOST_ENDED; i++)
        if (ended[i].object == object && ended[i].goes_on)
            return true;
    return false;
}

/* The reference was taken or given up. After a thread has given up a reference, the object may be freed at any time. */
void bpor_reference_counted(uintptr_t object, uint32_t before, const void *site)
{
    uintptr_t word;
    struct reference *reference = find_object(object);
    if (reference == NULL || !bpor_python_word(object, &word))
        return; /* ended by it */
    uint32_t now = bpor_layout_count(object);
    if (now > before)
        reference->owned++;
    else if (now < before && reference->owned)
        reference->owned--;
    if (now < before && now == holders(object))
        note_end(object, site, false);
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

/* Another object may be allocated at the same address; the counts of this one say nothing about who owns that. */
void bpor_references_disown(uintptr_t start, size_t bytes)
{
    for (unsigned thread = 0; thread < bpor->threads; thread++)
        for (unsigned i = 0; references[thread].count && i < MOST; i++)
            if (references[thread].at[i].object - start < bytes)
                references[thread].at[i].owned = 0;
}

/* From now on, accesses of the running thread to the object belong to its deallocation. */
void bpor_reference_ends(uintptr_t object, bool goes_on, const void *site)
{
    bpor_references_disown(object, 1);
    struct reference *mine = find_object(object);
    if (mine)
        mine->object = 0;
    if (bpor->threads > 1)
        note_end(object, site, goes_on);
}

static void look(const struct reference *reference, enum way way)
{
    bpor_reference_check(reference->object);
    if (bpor_layout_is_dead(reference->object) && !(way == LOOKS && is_ending(reference->object)))
        report_dead(reference->object);
}

/* Objects whose memory the interpreter keeps for the next one of their type do not stay recognisably dead. A thread that is about
 * to use one holds it meanwhile, so that it does not end; if nobody else does any more, it would have ended. */
static void hold(uintptr_t object, unsigned place)
{
    if (bpor_gil.free_threaded || bpor_layout_is_dead(object) || !bpor_layout_is_kept(object))
        return;
    ++*(uint32_t *)object;
    held[bpor_self->id][place] = object;
}

static void let_go(unsigned place)
{
    uintptr_t object = held[bpor_self->id][place];
    held[bpor_self->id][place] = 0;
    if (object && --*(uint32_t *)object == 0)
        report_dead(object);
}

static const struct reference *borrowed(const uintptr_t *argument, unsigned given, unsigned place)
{
    const struct reference *reference = given >> place & 1 ? find(argument[place]) : NULL;
    return reference && !reference->owned ? reference : NULL;
}

void bpor_references_hold(const uintptr_t *argument, unsigned given)
{
    for (unsigned i = 0; given >> i; i++) {
        const struct reference *reference = borrowed(argument, given, i);
        if (reference)
            hold(reference->object, i);
    }
}

void bpor_references_let_go(const uintptr_t *argument, unsigned given)
{
    for (unsigned i = 0; given >> i; i++) {
        const struct reference *reference = borrowed(argument, given, i);
        let_go(i);
        if (reference)
            look(reference, IS_GIVEN);
        else if (given >> i & 1)
            bpor_reference_check(argument[i]);
    }
}

/* The object is where it was, or has been freed meanwhile, which is told by the access itself. */
static void use(struct reference *reference, enum way way, const void *site)
{
    uint64_t allocation_site = 0;
    if (reference->owned)
        return;
    if (!bpor_gil_is_off()) {
        look(reference, way);
        return;
    }
    if (reference->used_at == bpor_self->steps)
        return;
    uint64_t object = bpor_canonical(reference->object, BPOR_CLASS_MEMORY, &allocation_site);
    struct operation *op = bpor_operation(OP_REFERENCE_USE, site);
    bpor_emit_place(object, reference->object, allocation_site);
    bpor_touch(op, object, 1, false);
    bpor_touch(op, reference->source, reference->source_bytes, false);
    hold(reference->object, 0);
    bpor_step();
    let_go(0);
    reference->used_at = bpor_self->steps;
    look(reference, way);
}

void bpor_reference_access(uintptr_t address, size_t bytes, bool write, const void *site)
{
    if (!bpor_reference_look_goes_on(address, write))
        bpor_reference_settle();
    struct reference *reference = find(address);
    if (reference == NULL || bpor->unexplored)
        return;
    bool counts = bpor_layout_counts(reference->object, address);
    use(reference, counts && write ? COUNTS : LOOKS, site);
    if (counts && write)
        bpor_reference_counts(reference->object, site);
    else if (!counts && !write && !reference->owned && bytes == sizeof(uintptr_t) && !bpor_quarantine_find(address))
        bpor_reference_loaded(*(const uintptr_t *)address, reference->source, reference->source_bytes);
}

void bpor_reference_given(uintptr_t object, const void *site)
{
    bpor_reference_settle();
    struct reference *reference = bpor_references_any() ? find(object) : NULL;
    if (reference)
        use(reference, IS_GIVEN, site);
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
