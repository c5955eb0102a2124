/* An access is reported before it happens, but only afterwards is it known what it did to a reference: which object was stored,
 * and whether a reference count went up, went down or was only read. */
#include "memory/memory.h"
#include "python/gil.h"
#include "python/layout.h"
#include "python/objects.h"
#include "python/references.h"
#include "race/race.h"
#include "runtime/objects.h"

/* What the running thread is about to store, or to count, is known when it has: at its next access, call or step. */
static struct {
    uintptr_t stored; /* a place, or 0 */
    size_t bytes;
    uint64_t source;
    uintptr_t counted; /* an object, or 0 */
    uint32_t count;
    const void *site;
    uintptr_t looked; /* at the count of this object, or 0 */
    bool looks_are_steps;
} latest;
bool bpor_reference_is_open;

void bpor_reference_stored(uintptr_t address, size_t bytes, uint64_t source)
{
    if (!bpor_gil_is_off() || bpor->unexplored)
        return;
    bpor_reference_settle();
    latest.stored = address;
    latest.bytes = bytes;
    latest.source = source;
    bpor_reference_is_open = true;
}

void bpor_reference_counts(uintptr_t object, const void *site)
{
    bpor_reference_settle();
    latest.counted = object;
    latest.site = site;
    latest.count = bpor_layout_count(object);
    bpor_reference_is_open = true;
}

static void settle_store(uintptr_t address, size_t bytes, uint64_t source)
{
    uintptr_t word;
    for (size_t at = 0; at + sizeof word <= bytes; at += sizeof word)
        if (bpor_python_word(address + at, &word) && word && bpor_layout_is_object(word))
            bpor_reference_moved(word, source + at, sizeof word);
}

/* ---- looked at: who finds a count of one may take the object for its own, and another thread take a reference then ---- */

void bpor_reference_looked(uintptr_t object, bool is_step, const void *site)
{
    if (bpor_gil.free_threaded || !bpor_layout_is_mortal(object))
        return;
    bpor_reference_settle();
    latest.looked = object;
    latest.looks_are_steps = is_step;
    latest.site = site;
    bpor_reference_is_open = true;
}

static void count_step(uintptr_t object, bool write, const void *site)
{
    uint64_t allocation_site, place = bpor_canonical(object, BPOR_CLASS_MEMORY, &allocation_site);
    struct operation *op = bpor_operation(OP_REFERENCE_USE, site);
    bpor_emit_place(place, object, allocation_site);
    bpor_touch(op, place, sizeof(uintptr_t), write);
    bpor_step();
}

/* Its reference may be counted next. */
void bpor_reference_count_step(uintptr_t object, const void *site)
{
    count_step(object, true, site);
    bpor_reference_looked(object, true, site);
}

/* It was not. What the thread does from now on rests on what it saw. */
static void settle_look(uintptr_t object)
{
    if (latest.looks_are_steps)
        count_step(object, false, latest.site);
    else if (bpor_references_make_places())
        bpor_race_report(&(struct race){
            .address = object, .bytes = sizeof(uintptr_t), .other = bpor_self->id, .other_wrote = true, .looking = true});
}

/* Does it count what it looked at? */
bool bpor_reference_look_goes_on(uintptr_t address, bool write)
{
    if (latest.looked == 0 || address - latest.looked >= sizeof(uintptr_t))
        return false;
    if (write)
        latest.looked = 0;
    return true;
}

void bpor_reference_close(bool at_step)
{
    uintptr_t counted = latest.counted, stored = latest.stored, looked = latest.looked;
    bpor_reference_is_open = false;
    latest.counted = latest.stored = latest.looked = 0;
    if (looked && !(at_step && latest.looks_are_steps)) /* a step comes anyway */
        settle_look(looked);
    if (counted)
        bpor_reference_counted(counted, latest.count, latest.site);
    if (stored)
        settle_store(stored, latest.bytes, latest.source);
}
