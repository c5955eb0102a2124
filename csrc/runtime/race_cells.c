/* Where the cells lie, and which region of them an address has. */
#define _GNU_SOURCE
#include "runtime/race_cells.h"
#include "runtime/reserve.h"
#include "runtime/runtime.h"
#include "runtime/sys.h"
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

enum {
    REGIONS = 1024, /* 2 GiB of the target's memory */
    ADDRESS_BITS = 47,
    SLOTS = 4 * REGIONS
};

/* Which region an address has: open addressing by address >> REGION_SHIFT. Small, because rollback looks at every page of it. */
static struct slot {
    uint32_t key; /* 0: free; no address lies in the first region */
    uint32_t region;
} slots[SLOTS];
static struct region *regions; /* kept: too large to be rolled back page by page, emptied instead */
static unsigned *regions_used;
static unsigned regions_most;

/* Address space is what the cells cost before they are used: a quarter of a limit, if there is one. */
static unsigned affordable_regions(void)
{
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    sys_call3(SYS_getrlimit, RLIMIT_AS, &limit, 0);
    uint64_t affordable = limit.rlim_cur / 4 / sizeof(struct region);
    return limit.rlim_cur == RLIM_INFINITY || affordable > REGIONS ? REGIONS : (unsigned)affordable;
}

void bpor_cells_reserve(void)
{
    regions_most = affordable_regions();
    regions = bpor_reserve_kept(sizeof *regions * regions_most);
    regions_used = bpor_reserve_kept(sizeof *regions_used);
}

void bpor_shadow_begin(void)
{
    if (regions == NULL || *regions_used == 0)
        return;
    sys_call3(SYS_madvise, regions, sizeof *regions * *regions_used, MADV_DONTNEED);
    *regions_used = 0;
}

static struct slot *slot_of(uintptr_t address)
{
    uint32_t key = (uint32_t)(address >> REGION_SHIFT);
    uint32_t place = key * 2654435761u % SLOTS;
    while (slots[place].key && slots[place].key != key)
        place = (place + 1) % SLOTS;
    return &slots[place];
}

struct region *bpor_known_region(uintptr_t address)
{
    const struct slot *slot = slot_of(address);
    return slot->key ? &regions[slot->region] : NULL;
}

struct region *bpor_region_at(uintptr_t address)
{
    if (address >> ADDRESS_BITS || address >> REGION_SHIFT == 0)
        return NULL; /* a wild pointer: the access itself will tell */
    struct slot *slot = slot_of(address);
    if (slot->key == 0) {
        if (*regions_used == regions_most)
            bpor_end(BPOR_OUTCOME_REFUSED, 0,
                     "the program touches more memory than there is room to keep a record of (2 GiB, less under ulimit -v); "
                     "--races=off does without");
        *slot = (struct slot){(uint32_t)(address >> REGION_SHIFT), (*regions_used)++};
    }
    return &regions[slot->region];
}

static void fill(epoch *cell, size_t count, epoch value)
{
    enum { PAGE = 4096, LARGE = 1 << 20 };
    if (value == 0 && count * sizeof *cell > LARGE) {
        /* Whole pages go back to being untouched, which is cheaper and reads as zero. */
        uintptr_t start = ((uintptr_t)cell + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
        uintptr_t end = (uintptr_t)(cell + count) & ~(uintptr_t)(PAGE - 1);
        memset(cell, 0, start - (uintptr_t)cell);
        sys_call3(SYS_madvise, start, end - start, MADV_DONTNEED);
        memset((void *)end, 0, (uintptr_t)(cell + count) - end);
        return;
    }
    for (size_t i = 0; i < count; i++)
        cell[i] = value;
}

void bpor_cells_fill(uintptr_t start, size_t bytes, epoch write)
{
    for (size_t done = 0, count; done < bytes; done += count) {
        uintptr_t at = start + done;
        count = within_region(at, bytes - done);
        struct region *region = write ? bpor_region_at(at) : bpor_known_region(at);
        if (region) {
            fill(&region->write[cell_of(at)], count, write);
            fill(&region->read[cell_of(at)], count, 0);
        }
    }
}

void bpor_shadow_clear(uintptr_t start, size_t bytes)
{
    bpor_race_benign_forget(start, bytes);
    if (regions)
        bpor_cells_fill(start, bytes, 0);
}
