/* Cells of the race detector: what it keeps for each byte of the target, in regions of 2 MiB that get their cells when they are
 * first touched. */
#ifndef BPOR_RACE_CELLS_H
#define BPOR_RACE_CELLS_H
#include "runtime/race.h"

enum { REGION_SHIFT = 21, REGION_BYTES = 1 << REGION_SHIFT, ATOMIC_PAGE_SHIFT = 12 };

struct region {
    epoch write[REGION_BYTES];
    epoch read[REGION_BYTES];
    uint32_t write_stack[REGION_BYTES]; /* described executions only, likewise the next */
    uint32_t read_stack[REGION_BYTES];
    uint8_t atomic_page[REGION_BYTES >> ATOMIC_PAGE_SHIFT]; /* does it hold atomic locations? */
};

void bpor_cells_reserve(void);
/* The region of an address; NULL if it has no cells yet. */
struct region *bpor_known_region(uintptr_t address);
/* The same, with cells; NULL for an address that cannot be one. */
struct region *bpor_region_at(uintptr_t address);
/* These bytes: written last at this epoch, and not read since. 0: never accessed. */
void bpor_cells_fill(uintptr_t start, size_t bytes, epoch write);

static inline size_t cell_of(uintptr_t address)
{
    return address & (REGION_BYTES - 1);
}

/* How many of the bytes from here lie in the same region. */
static inline size_t within_region(uintptr_t address, size_t bytes)
{
    size_t room = REGION_BYTES - cell_of(address);
    return bytes < room ? bytes : room;
}
#endif
