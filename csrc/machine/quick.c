/* The fast path of patched accesses. Nothing is to be done if the process is not controlled, if plain accesses are not observed,
 * or if the same thread has made the same access since its last synchronisation. An access of memory that no other thread has
 * used concurrently is recorded here as well. An access that is an operation leaves no epoch in the cells, so it is never skipped
 * by mistake. A byte that needs no further work is marked (filter.h). This file uses general registers only, because the
 * program's vector registers are not saved yet. */
#pragma GCC target("general-regs-only")
#include "machine/filter.h"
#include "machine/machine.h"
#include "python/references.h"
#include "race/cells.h"
#include "runtime/objects.h"
#include "trust/trust.h"
#include "weak/weak.h"

/* By loops of plain comparisons: a vector would be quicker and is the program's. */
static bool all_equal(const epoch *cell, size_t count, epoch value)
{
    for (size_t i = 0; i < count; i++)
        if (cell[i] != value)
            return false;
    return true;
}

static bool any_freed(const struct region *region, size_t offset, size_t bytes)
{
    if (cells_touched(region->wrote, offset, bytes))
        for (size_t i = offset; i < offset + bytes; i++)
            if (epoch_tag(region->write[i]) == TAG_FREED)
                return true;
    return false;
}

/* The race detector has this access on record. */
static bool on_record(struct thread *self, uintptr_t address, size_t bytes, bool write)
{
    size_t offset = cell_of(address);
    uint32_t record;
    if (offset + bytes > REGION_BYTES)
        return false;
    const struct region *region = bpor_known_region(address);
    if (bpor_checks == CHECK_FREED)
        return !bpor_quarantine_large(address, bytes, &record) && (region == NULL || !any_freed(region, offset, bytes));
    if (region == NULL)
        return false;
    epoch now = bpor_race_epoch(self);
    return all_equal(&region->write[offset], bytes, now) || (!write && all_equal(&region->read[offset], bytes, now));
}

/* ---- accesses in a new epoch ---- */

static bool seen(const struct clock *clock, epoch when)
{
    return when == 0 || (epoch_tag(when) < TAG_FREED && epoch_clock(when) <= clock->at[epoch_tag(when)]);
}

/* Everything that the whole check has an eye on and this one has not. */
static bool is_plain_case(const struct thread *self, const struct region *region, uintptr_t address, size_t bytes, bool write)
{
    size_t first = cell_of(address) >> ATOMIC_PAGE_SHIFT, last = cell_of(address + bytes - 1) >> ATOMIC_PAGE_SHIFT;
    return !region->atomic_page[first] && !region->atomic_page[last] && !bpor->shared->config.visible_count &&
           !(bpor->plan.flags & BPOR_PLAN_DESCRIBE) && !bpor_weak && !bpor_references_any() && !bpor_race_any_benign() &&
           !bpor_race_ignored(self, write) && !bpor_shadow_stack_may_be_gone(address) && !bpor_race_in_standard_stream(address) &&
           !(write && bpor_write_matters(self));
}

static bool in_order(const struct clock *clock, const struct region *region, uintptr_t address, size_t bytes)
{
    size_t offset = cell_of(address);
    const struct allocation *block = bpor_heap_find_large(address);
    uint32_t record;
    if (block ? !seen(clock, block->born) : bpor_quarantine_large(address, bytes, &record))
        return false;
    bool wrote = cells_touched(region->wrote, offset, bytes), did_read = cells_touched(region->did_read, offset, bytes);
    for (size_t i = offset; i < offset + bytes; i++)
        if ((wrote && !seen(clock, region->write[i])) || (did_read && !seen(clock, region->read[i])))
            return false;
    return true;
}

static void note(struct region *region, size_t offset, size_t bytes, epoch now, bool write)
{
    bool did_read = cells_touched(region->did_read, offset, bytes);
    cells_touch(write ? region->wrote : region->did_read, offset, bytes);
    for (size_t i = offset; i < offset + bytes; i++) {
        if (write)
            region->write[i] = now;
        if (!write || did_read)
            region->read[i] = write ? 0 : now;
    }
}

/* As bpor_race_plain does it, for bytes whose every access before is seen by this thread. False: nothing was done. */
static bool noted(struct thread *self, uintptr_t address, size_t bytes, bool write)
{
    size_t offset = cell_of(address);
    struct region *region = bpor_known_region(address);
    if (region == NULL || offset + bytes > REGION_BYTES || !is_plain_case(self, region, address, bytes, write))
        return false;
    if (!in_order(bpor_race_seen(self), region, address, bytes))
        return false;
    if (!bpor->unexplored)
        bpor->shared->told = 1;
    note(region, offset, bytes, bpor_race_epoch(self), write);
    return true;
}

/* ---- */

static bool nothing_to_do(struct thread *self, uintptr_t address, size_t bytes, bool write)
{
    if (bpor_checks == CHECK_NOTHING)
        return true;
    if (on_record(self, address, bytes, write))
        return !(write && bpor_checks == CHECK_RACES && bpor_write_matters(self));
    return bpor_checks == CHECK_RACES && noted(self, address, bytes, write);
}

bool bpor_machine_quick(uintptr_t address, const struct site *site)
{
    struct thread *self = bpor_self;
    bool write = site->kind != SITE_READ;
    if (self == NULL || self->shielded)
        return true;
    if (site->kind > SITE_UPDATE)
        return !bpor->forked;
    if (bpor_trusts && bpor_trusted_code(site->instruction)) {
        if (!bpor_plain_spin_is_quiet(self))
            return false;
        bpor_plain_spin_count(self);
        bpor_plain_spin_grant(self);
        return true;
    }
    bpor_filter_check();
    if (bpor_site_may_be_visible(site->instruction + site->length))
        return false;
    if (!bpor_plain_spin_is_quiet(self) || !nothing_to_do(self, address, site->bytes, write))
        return false;
    bpor_plain_spin_count(self);
    bpor_plain_spin_grant(self);
    bpor_filter_mark(address, site->bytes, write);
    return true;
}

/* While a loop is looked at, each access of it has to be told. */
void bpor_machine_told(uintptr_t address, const struct site *site)
{
    struct thread *self = bpor_self;
    bool write = site->kind != SITE_READ;
    if (self == NULL || self->shielded || !bpor_filter_is_on())
        return;
    if (!bpor_plain_spin_is_quiet(self))
        bpor_filter_forget();
    else if (bpor_checks == CHECK_NOTHING || on_record(self, address, site->bytes, write))
        bpor_filter_mark(address, site->bytes, write);
    bpor_plain_spin_grant(self);
}
