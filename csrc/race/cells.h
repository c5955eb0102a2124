/* Cells of the race detector: what it keeps for each byte of the target, in regions of 2 MiB that get their cells when they are
 * first touched. */
#ifndef BPOR_RACE_CELLS_H
#define BPOR_RACE_CELLS_H
#include "race/race.h"
#include <stddef.h>
#include <string.h>

enum { REGION_SHIFT = 21, REGION_BYTES = 1 << REGION_SHIFT, ATOMIC_PAGE_SHIFT = 12, TOUCHED_SHIFT = 10 };

/* All zero; may have others; has others of which none was worth a look, and none was set since (bpor_cells_set_aside). */
enum page_of_cells { CELLS_EMPTY, CELLS_TOUCHED, CELLS_ASIDE };

struct region {
    epoch write[REGION_BYTES];
    epoch read[REGION_BYTES];
    uint32_t write_stack[REGION_BYTES]; /* described executions only, likewise the next */
    uint32_t read_stack[REGION_BYTES];
    uint16_t user[REGION_BYTES / sizeof(uintptr_t)];        /* of each word, where that is asked for (cells_used): a thread + 1 */
    uint8_t atomic_page[REGION_BYTES >> ATOMIC_PAGE_SHIFT]; /* does it hold atomic locations? */
    uint8_t wrote[REGION_BYTES >> TOUCHED_SHIFT];           /* by page of `write`: may any not be zero (page_of_cells)? */
    uint8_t did_read[REGION_BYTES >> TOUCHED_SHIFT];        /* likewise of `read` */
    bool has_stacks;
    bool has_users;
    uint32_t key; /* the addresses it stands for >> REGION_SHIFT */
} __attribute__((aligned(4096)));

void bpor_cells_reserve(void);
/* The region of an address; NULL if it has no cells yet. */
struct region *bpor_known_region(uintptr_t address);
/* The same, with cells; NULL for an address that cannot be one. */
struct region *bpor_region_at(uintptr_t address);
/* Has anybody but this thread accessed one of these bytes, as far as cells still tell? */
bool bpor_cells_others(struct thread *thread, uintptr_t start, size_t bytes);
/* These bytes: written last at this epoch, and not read since. 0: never accessed. */
void bpor_cells_fill(uintptr_t start, size_t bytes, epoch write);
/* Pages of cells that may not be zero: of the bytes from `start` on. */
typedef void cells_visit(uintptr_t start, epoch *cell, unsigned count, bool writes);
void bpor_cells_each(cells_visit *visit);
/* The same, without those that are set aside. */
void bpor_cells_each_kept(cells_visit *visit);
/* Makes a range as small as may be without leaving out a cell that is set, if that takes less than to look at its flags. */
void bpor_cells_narrow(uintptr_t *low, uintptr_t *high);
/* Sets pages aside of which this is true: until a cell of theirs is set, or all are taken back. */
typedef bool cells_test(uintptr_t start, const epoch *cell, unsigned count);
void bpor_cells_set_aside(cells_test *test);
void bpor_cells_take_back(void);

/* The next flag that is up: of a page that may have cells, set aside or not. NULL: there is none. */
static inline const uint8_t *cells_next_page(const uint8_t *page, const uint8_t *end)
{
    typedef uint64_t flags __attribute__((vector_size(16), aligned(1), may_alias));
    enum { WIDE = 4 };
    uint64_t eight;
    for (; end - page >= (ptrdiff_t)(WIDE * sizeof(flags)); page += WIDE * sizeof(flags)) { /* most regions have few */
        const flags *wide = (const flags *)page;
        flags any = (wide[0] | wide[1]) | (wide[2] | wide[3]);
        if (any[0] | any[1])
            break;
    }
    for (; end - page >= (ptrdiff_t)sizeof eight; page += sizeof eight) {
        memcpy(&eight, page, sizeof eight);
        if (eight)
            break;
    }
    while (page < end && *page == 0)
        page++;
    return page < end ? page : NULL;
}

/* The flags that are up, while they are few: an execution uses little of what the regions stand for. */
enum { CELLS_UP = 1 << 14 };
struct cells_up {
    uint32_t count; /* more than CELLS_UP: nobody knows which */
    uint8_t *flag[CELLS_UP];
};
extern struct cells_up *bpor_cells_up;

static inline void cells_raise(uint8_t *flag)
{
    if (*flag == CELLS_EMPTY && bpor_cells_up->count++ < CELLS_UP)
        bpor_cells_up->flag[bpor_cells_up->count - 1] = flag;
    *flag = CELLS_TOUCHED;
}

/* These cells are about to be set, in the array whose pages these are. */
static inline void cells_touch(uint8_t *pages, size_t offset, size_t count)
{
    for (size_t page = offset >> TOUCHED_SHIFT; page <= (offset + count - 1) >> TOUCHED_SHIFT; page++)
        cells_raise(&pages[page]);
}

/* False if all cells are zero. Then they must not be read either, because reading a page allocates it. */
static inline bool cells_touched(const uint8_t *pages, size_t offset, size_t count)
{
    for (size_t page = offset >> TOUCHED_SHIFT; page <= (offset + count - 1) >> TOUCHED_SHIFT; page++)
        if (pages[page])
            return true;
    return false;
}

static inline size_t cell_of(uintptr_t address)
{
    return address & (REGION_BYTES - 1);
}

/* The thread uses this word, whose cells it sets. True: another one has, too. */
static inline bool cells_used(struct region *region, uintptr_t address, unsigned thread)
{
    uint16_t *user = &region->user[cell_of(address) / sizeof(uintptr_t)];
    region->has_users = true;
    if (*user && *user != thread + 1)
        *user = UINT16_MAX;
    else
        *user = (uint16_t)(thread + 1);
    return *user == UINT16_MAX;
}

/* How many of the bytes from here lie in the same region. */
static inline size_t within_region(uintptr_t address, size_t bytes)
{
    size_t room = REGION_BYTES - cell_of(address);
    return bytes < room ? bytes : room;
}
#endif
