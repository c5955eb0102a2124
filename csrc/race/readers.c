/* The table of unordered readers, and how it is swept: two threads that read the same byte in each of their epochs make a new
 * list each time, and only the last one is still in use. */
#include "race/readers.h"
#include "race/cells.h"
#include "runtime/reserve.h"
#include <string.h>

enum {
    READERS = 1 << 20,
    MOST_NEW = BPOR_MAX_THREADS + 2, /* one access of one byte: each thread once, and itself */
    MOST_LEFT = READERS / 8 * 7      /* free entries required after a sweep; with fewer, the next sweeps would gain nothing */
};

struct reader *bpor_readers;
static uint32_t *moved; /* by index: where the reader went; while they are marked, 1 if some byte has it */

void bpor_readers_reserve(void)
{
    bpor_readers = bpor_reserve(sizeof *bpor_readers * READERS);
    moved = bpor_reserve_kept(sizeof *moved * READERS);
    bpor_readers->next = 1;
}

uint32_t bpor_reader_new(epoch when, uint32_t stack, uint32_t next)
{
    bpor_readers[bpor_readers->next] = (struct reader){when, stack, next};
    return bpor_readers->next++;
}

static void mark(uintptr_t start, epoch *cell, unsigned count, bool writes)
{
    (void)start;
    for (unsigned i = 0; !writes && i < count; i++)
        if (epoch_tag(cell[i]) == TAG_LIST)
            for (uint32_t at = epoch_clock(cell[i]); at && !moved[at]; at = bpor_readers[at].next)
                moved[at] = 1;
}

/* In place: a reader's `next` lies before it, and went before it. */
static void slide(void)
{
    uint32_t used = bpor_readers->next, kept = 1;
    for (uint32_t at = 1; at < used; at++)
        if (moved[at]) {
            struct reader one = bpor_readers[at];
            one.next = moved[one.next];
            moved[at] = kept;
            bpor_readers[kept++] = one;
        }
    memset(&bpor_readers[kept], 0, (used - kept) * sizeof *bpor_readers);
    bpor_readers->next = kept;
}

static void renumber(uintptr_t start, epoch *cell, unsigned count, bool writes)
{
    (void)start;
    for (unsigned i = 0; !writes && i < count; i++)
        if (epoch_tag(cell[i]) == TAG_LIST)
            cell[i] = epoch_of(TAG_LIST, moved[epoch_clock(cell[i])]);
}

void bpor_readers_make_room(void)
{
    if (bpor_readers->next + MOST_NEW <= READERS)
        return;
    memset(moved, 0, bpor_readers->next * sizeof *moved);
    bpor_cells_each(mark);
    slide();
    bpor_cells_each(renumber);
    if (bpor_readers->next > MOST_LEFT)
        bpor_end(BPOR_OUTCOME_REFUSED, 0, "more than a million unordered reads are on record; --races=off does without");
}
