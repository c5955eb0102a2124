#define _GNU_SOURCE
#include "python/changes.h"
#include "python/layout.h"
#include "python/objects.h"
#include "python/references.h"
#include "race/cells.h"
#include "runtime/objects.h"

enum { PLACES = 1024, WORD = sizeof(uintptr_t) }; /* of two that meet in one slot the later one is known, or the object's */

static struct seen {
    uintptr_t place;
    uintptr_t word;
    unsigned thread;
    bool is_object; /* that the word leads to */
    bool changes;   /* by what the thread had the interpreter do, as a call by a pointer */
} seen[PLACES];
bool bpor_changes_any;

static struct seen *slot_of(uintptr_t place)
{
    return &seen[(place / WORD * 2654435761u >> 4) % PLACES];
}

/* Its memory was freed, or is another block's now: what was used of it is no longer known. */
static bool is_gone(uintptr_t place)
{
    const struct region *region = bpor_known_region(place);
    bool used = false;
    for (size_t cell = cell_of(place), end = cell + WORD; region && cell < end; cell++) {
        if (epoch_tag(region->write[cell]) == TAG_FREED)
            return true;
        used |= region->write[cell] || region->read[cell];
    }
    return !used;
}

/* An item that is taken from the end of a list stays where it was, also when it has ended. */
static bool has_ended(uintptr_t object)
{
    uintptr_t word;
    return bpor_quarantine_find(object) || (bpor_python_word(object, &word) && bpor_layout_is_dead(object));
}

static bool has_changed(const struct seen *one, uintptr_t *now)
{
    return one->place && !is_gone(one->place) && bpor_python_word(one->place, now) &&
           (*now != one->word || (one->is_object && has_ended(one->word)));
}

static void report(struct seen *one)
{
    uintptr_t place = one->place;
    one->place = 0;
    bpor_race_report(&(struct race){.address = place, .bytes = WORD, .other = one->thread, .other_wrote = true});
}

/* A list that has become shorter: what is no longer in it stays where it was, and may have been another thread's since. */
static void report_cut_off(const struct seen *one, uintptr_t now)
{
    uintptr_t items;
    if (one->is_object || !bpor_layout_is_list_size(one->place) || now >= one->word ||
        !bpor_python_word(one->place + WORD, &items))
        return;
    for (unsigned i = 0; i < PLACES; i++)
        if (seen[i].thread == one->thread && seen[i].place - items - now * WORD < (one->word - now) * WORD)
            report(&seen[i]);
}

/* Tuples do not change; one that comes in the memory of another does not matter to it. */
static bool leads_to_object(uintptr_t place)
{
    return !bpor_layout_is_in_tuple(place) && bpor_reference_lies_at(place);
}

/* A number in a field that Python's code sets, bytes of a buffer. Not what the interpreter keeps about the object itself, nor
 * what never changes while it is there. A pointer to an object is worth more than a number that meets it in the table. */
static bool is_value(const struct seen *slot, uintptr_t place)
{
    bool has_room = slot->place == place || slot->place == 0 || !slot->is_object;
    return has_room && !bpor_layout_is_constant(place) && !bpor_python_owns(place, WORD);
}

static bool is_known(const struct seen *slot, uintptr_t place)
{
    return slot->place == place && slot->thread == bpor_self->id;
}

void bpor_change_read(uintptr_t place, bool whole)
{
    struct seen *slot = slot_of(place);
    uintptr_t now;
    uint64_t site;
    if (slot->place == place && slot->thread != bpor_self->id && (has_changed(slot, &now) || (slot->changes && !is_gone(place))))
        report(slot);
    if (bpor_stack_owner(place) || (!whole && is_known(slot, place)))
        return;
    bool is_object = whole && leads_to_object(place);
    if (!is_object && !bpor_layout_is_in_body(place) && !is_value(slot, place))
        return;
    uintptr_t word = *(const uintptr_t *)place;
    *slot = (struct seen){place, word, bpor_self->id, is_object, slot->place == place && slot->changes};
    bpor_changes_any = true;
    if (bpor_layout_is_referent(place)) /* it changes when the object has ended, and not before */
        bpor_reference_lent(word, bpor_canonical(place, BPOR_CLASS_MEMORY, &site), WORD);
}

/* What it writes is known when it is left. */
void bpor_change_written(uintptr_t place)
{
    struct seen *slot = slot_of(place);
    if (is_known(slot, place) && !slot->is_object)
        return;
    if (slot->place == place)
        slot->place = 0;
    if (bpor_stack_owner(place) || !is_value(slot, place))
        return;
    *slot = (struct seen){place, *(const uintptr_t *)place, bpor_self->id, false, false};
    bpor_changes_any = true;
}

/* What the thread has changed itself, or ended, is its own business, unless another one looks at how much is in a container. */
static void update(struct seen *one)
{
    uintptr_t now;
    if (!bpor_python_word(one->place, &now) || (one->is_object && has_ended(one->word)))
        one->place = 0;
    else if (now != one->word)
        *one =
            (struct seen){one->place, now, one->thread, bpor_reference_lies_at(one->place), bpor_layout_is_in_body(one->place)};
}

void bpor_changes_leave(void)
{
    for (unsigned i = 0; i < PLACES; i++)
        if (seen[i].thread == bpor_self->id && seen[i].place)
            update(&seen[i]);
}

static void look(bool at_mine)
{
    uintptr_t now;
    for (unsigned i = 0; i < PLACES && bpor_references_make_places(); i++)
        if ((seen[i].thread == bpor_self->id) == at_mine && has_changed(&seen[i], &now)) {
            report_cut_off(&seen[i], now);
            report(&seen[i]);
        }
}

void bpor_changes_return(void)
{
    look(true);
}

void bpor_changes_look(void)
{
    look(false);
    bpor_changes_leave();
}
