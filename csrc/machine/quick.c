/* The accesses about which nothing is to be done: nobody is controlled, nobody looks, or the same thread did the same before
 * since its last synchronisation. An access that is an operation leaves no epoch in the cells, so that none is taken for done.
 * General registers only: the program's vector registers are not saved yet. */
#pragma GCC target("general-regs-only")
#include "machine/machine.h"
#include "runtime/race_cells.h"

/* By loops of plain comparisons: a vector would be quicker and is the program's. */
static bool all_equal(const epoch *cell, size_t count, epoch value)
{
    for (size_t i = 0; i < count; i++)
        if (cell[i] != value)
            return false;
    return true;
}

static bool looked_at(struct thread *self, uintptr_t address, size_t bytes, bool write)
{
    size_t offset = cell_of(address);
    if (offset + bytes > REGION_BYTES || (write && bpor->shared->config.visible_count))
        return false; /* a write between two reads that are operations tells a loop that gets on from one that waits */
    struct region *region = bpor_known_region(address);
    if (bpor_checks == CHECK_FREED)
        return region == NULL || !cells_touched(region->wrote, offset, bytes);
    if (region == NULL)
        return false;
    epoch now = bpor_race_epoch(self);
    return all_equal(&region->write[offset], bytes, now) || (!write && all_equal(&region->read[offset], bytes, now));
}

bool bpor_machine_quick(uintptr_t address, const struct site *site)
{
    struct thread *self = bpor_self;
    if (self == NULL || self->shielded)
        return true;
    if (site->kind > SITE_UPDATE)
        return !bpor->forked;
    if (!bpor_plain_spin_is_quiet(self))
        return false;
    if (bpor_checks == CHECK_NOTHING || looked_at(self, address, site->bytes, site->kind != SITE_READ)) {
        bpor_plain_spin_count(self);
        return true;
    }
    return false;
}
