/* Where the cells of the race detector lie, and which region of them belongs to an address. */
#define _GNU_SOURCE
#include "race/cells.h"
#include "arch/x86_64/page.h"
#include "machine/filter.h"
#include "runtime/reserve.h"
#include "runtime/runtime.h"
#include "runtime/sys.h"
#include <string.h>
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
struct cells_up *bpor_cells_up;

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
    bpor_cells_up = bpor_reserve_kept(sizeof *bpor_cells_up);
}

/* Zeros; pages that were never touched stay untouched. */
static void empty(uint32_t *cell, const uint8_t *pages, size_t offset, size_t count)
{
    size_t end = offset + count;
    const uint8_t *page = &pages[offset >> TOUCHED_SHIFT], *last = &pages[(end - 1) >> TOUCHED_SHIFT];
    for (; (page = cells_next_page(page, last + 1)); page++) {
        size_t from = (size_t)(page - pages) << TOUCHED_SHIFT, to = from + (1 << TOUCHED_SHIFT);
        from = from > offset ? from : offset;
        memset(&cell[from], 0, ((to < end ? to : end) - from) * sizeof *cell);
    }
}

static void empty_users(struct region *region, size_t offset, size_t count)
{
    enum { WORD = sizeof(uintptr_t), PAGE_BYTES = 1 << TOUCHED_SHIFT };
    if (!region->has_users)
        return;
    for (size_t page = offset >> TOUCHED_SHIFT; page <= (offset + count - 1) >> TOUCHED_SHIFT; page++) {
        size_t from = page * PAGE_BYTES > offset ? page * PAGE_BYTES : offset;
        size_t to = (page + 1) * PAGE_BYTES < offset + count ? (page + 1) * PAGE_BYTES : offset + count;
        if (region->wrote[page] || region->did_read[page])
            memset(&region->user[from / WORD], 0, ((to + WORD - 1) / WORD - from / WORD) * sizeof region->user[0]);
    }
}

static void empty_region(struct region *region)
{
    empty_users(region, 0, REGION_BYTES);
    empty(region->write, region->wrote, 0, REGION_BYTES);
    empty(region->read, region->did_read, 0, REGION_BYTES);
    if (region->has_stacks) {
        empty(region->write_stack, region->wrote, 0, REGION_BYTES);
        empty(region->read_stack, region->did_read, 0, REGION_BYTES);
    }
    memset(region->wrote, 0, sizeof region->wrote);
    memset(region->did_read, 0, sizeof region->did_read);
    memset(region->atomic_page, 0, sizeof region->atomic_page);
    region->has_stacks = region->has_users = false;
}

static struct region *region_of(const uint8_t *flag)
{
    return &regions[(size_t)(flag - (const uint8_t *)regions) / sizeof *regions];
}

/* Whose page of cells a flag tells of: of `write` or of `read`. */
static epoch *cells_of(const uint8_t *flag)
{
    struct region *region = region_of(flag);
    bool writes = flag < region->did_read;
    size_t page = (size_t)(flag - (writes ? region->wrote : region->did_read));
    return &(writes ? region->write : region->read)[page << TOUCHED_SHIFT];
}

/* The first byte of those that it tells of. */
static uintptr_t address_of(const uint8_t *flag)
{
    const struct region *region = region_of(flag);
    size_t page = (size_t)(flag - (flag < region->did_read ? region->wrote : region->did_read));
    return ((uintptr_t)region->key << REGION_SHIFT) + (page << TOUCHED_SHIFT);
}

void bpor_cells_narrow(uintptr_t *low, uintptr_t *high)
{
    enum { FEW = 256, PAGE_BYTES = 1 << TOUCHED_SHIFT };
    uintptr_t first = *high, end = *low;
    if (bpor_cells_up->count > FEW)
        return;
    for (uint32_t i = 0; i < bpor_cells_up->count; i++) {
        uintptr_t page = address_of(bpor_cells_up->flag[i]);
        if (page >= *high || page + PAGE_BYTES <= *low)
            continue;
        first = page < first ? page : first;
        end = page + PAGE_BYTES > end ? page + PAGE_BYTES : end;
    }
    *low = first > *low ? first : *low;
    *high = end < *high ? end : *high;
}

static bool has_more_than_cells(void)
{
    bool more = bpor_cells_up->count > CELLS_UP;
    for (unsigned i = 0; i < *regions_used; i++)
        more |= regions[i].has_stacks || regions[i].has_users;
    return more;
}

static void empty_flagged(void)
{
    for (uint32_t i = 0; i < bpor_cells_up->count; i++) {
        memset(cells_of(bpor_cells_up->flag[i]), 0, sizeof(epoch) << TOUCHED_SHIFT);
        *bpor_cells_up->flag[i] = CELLS_EMPTY;
    }
    for (unsigned i = 0; i < *regions_used; i++)
        memset(regions[i].atomic_page, 0, sizeof regions[i].atomic_page);
}

/* In place, and not by giving the pages back: the next execution would fault them in again, one by one. */
void bpor_shadow_begin(void)
{
    bpor_filter_forget();
    if (regions == NULL)
        return;
    if (!has_more_than_cells())
        empty_flagged();
    else
        for (unsigned i = 0; i < *regions_used; i++)
            empty_region(&regions[i]);
    *regions_used = bpor_cells_up->count = 0;
}

/* ---- checkpoints (reset/checkpoints.h) ---- */

_Static_assert(sizeof(epoch) << TOUCHED_SHIFT == PAGE, "the cells that have one flag are a page");

/* A flag that is up, or the number of a region, and the lines that follow. */
struct saved_cells {
    uint64_t what;
    uint64_t lines;
};

struct saving {
    uint8_t *to;
    uint8_t *end;
    bool full;
};

static void save(struct saving *saving, uint64_t what, uint64_t lines, const void *page)
{
    if ((size_t)(saving->end - saving->to) < sizeof(struct saved_cells) + PAGE) {
        saving->full = true;
        return;
    }
    *(struct saved_cells *)saving->to = (struct saved_cells){what, lines};
    saving->to = gather_lines(saving->to + sizeof(struct saved_cells), page, lines);
}

static struct saved_cells load(const uint8_t **from, void *page)
{
    struct saved_cells saved = *(const struct saved_cells *)*from;
    *from = spread_lines(page, *from + sizeof saved, saved.lines);
    return saved;
}

enum { LINES_OF_ATOMICS = (REGION_BYTES >> ATOMIC_PAGE_SHIFT) / LINE };

size_t bpor_cells_save(uint8_t *to, size_t room)
{
    struct saving saving = {to, to + room, false};
    unsigned used = regions ? *regions_used : 0, flags = regions ? bpor_cells_up->count : 0;
    if (regions && has_more_than_cells())
        return 0;
    save(&saving, used, 0, NULL);
    for (unsigned i = 0; i < used; i++)
        save(&saving, regions[i].key, (1ull << LINES_OF_ATOMICS) - 1, regions[i].atomic_page);
    save(&saving, flags, 0, NULL);
    for (uint32_t i = 0; i < flags; i++) {
        const epoch *cells = cells_of(bpor_cells_up->flag[i]);
        save(&saving, (uint64_t)(uintptr_t)bpor_cells_up->flag[i], used_lines(cells), cells);
    }
    return saving.full ? 0 : (size_t)(saving.to - to);
}

void bpor_cells_load(const uint8_t *from)
{
    uint64_t used = load(&from, NULL).what;
    for (unsigned i = 0; i < used; i++)
        regions[i].key = (uint32_t)load(&from, regions[i].atomic_page).what;
    for (uint64_t flags = load(&from, NULL).what; flags; flags--) {
        uint8_t *flag = (uint8_t *)(uintptr_t)((const struct saved_cells *)from)->what;
        cells_raise(flag);
        load(&from, cells_of(flag));
    }
    if (regions)
        *regions_used = (unsigned)used;
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
        regions[slot->region].key = slot->key;
    }
    return &regions[slot->region];
}

static void fill(struct region *region, size_t offset, size_t count, epoch write)
{
    empty_users(region, offset, count);
    empty(region->read, region->did_read, offset, count);
    if (write == 0) {
        empty(region->write, region->wrote, offset, count);
        return;
    }
    cells_touch(region->wrote, offset, count);
    for (size_t i = offset; i < offset + count; i++)
        region->write[i] = write;
}

void bpor_cells_fill(uintptr_t start, size_t bytes, epoch write)
{
    bpor_filter_unmark(start, bytes);
    for (size_t done = 0, count; done < bytes; done += count) {
        uintptr_t at = start + done;
        count = within_region(at, bytes - done);
        struct region *region = write ? bpor_region_at(at) : bpor_known_region(at);
        if (region)
            fill(region, cell_of(at), count, write);
    }
}

void bpor_shadow_clear(uintptr_t start, size_t bytes)
{
    bpor_race_benign_forget(start, bytes);
    if (regions)
        bpor_cells_fill(start, bytes, 0);
}

enum which { ALL_PAGES, KEPT_PAGES };

static void each_page(uintptr_t start, epoch *cell, const uint8_t *pages, bool writes, enum which which, cells_visit *visit)
{
    const uint8_t *page = pages, *end = pages + (REGION_BYTES >> TOUCHED_SHIFT);
    for (; (page = cells_next_page(page, end)); page++) {
        size_t first = (size_t)(page - pages) << TOUCHED_SHIFT;
        if (which == ALL_PAGES || *page != CELLS_ASIDE)
            visit(start + first, &cell[first], 1 << TOUCHED_SHIFT, writes);
    }
}

static void each(enum which which, cells_visit *visit)
{
    for (unsigned i = 0; i < *regions_used; i++) {
        struct region *region = &regions[i];
        uintptr_t start = (uintptr_t)region->key << REGION_SHIFT;
        each_page(start, region->write, region->wrote, true, which, visit);
        each_page(start, region->read, region->did_read, false, which, visit);
    }
}

void bpor_cells_each(cells_visit *visit)
{
    each(ALL_PAGES, visit);
}

void bpor_cells_each_kept(cells_visit *visit)
{
    each(KEPT_PAGES, visit);
}

static void set_aside(uintptr_t start, const epoch *cell, uint8_t *pages, cells_test *test)
{
    uint8_t *page = pages, *end = pages + (REGION_BYTES >> TOUCHED_SHIFT);
    for (; (page = memchr(page, CELLS_TOUCHED, (size_t)(end - page))); page++) {
        size_t first = (size_t)(page - pages) << TOUCHED_SHIFT;
        if (test(start + first, &cell[first], 1 << TOUCHED_SHIFT))
            *page = CELLS_ASIDE;
    }
}

void bpor_cells_set_aside(cells_test *test)
{
    for (unsigned i = 0; i < *regions_used; i++) {
        struct region *region = &regions[i];
        uintptr_t start = (uintptr_t)region->key << REGION_SHIFT;
        set_aside(start, region->write, region->wrote, test);
        set_aside(start, region->read, region->did_read, test);
    }
}

static void take_back(uint8_t *pages, size_t count)
{
    for (size_t page = 0; page < count; page++)
        pages[page] = pages[page] ? CELLS_TOUCHED : CELLS_EMPTY;
}

void bpor_cells_take_back(void)
{
    for (unsigned i = 0; i < *regions_used; i++) {
        take_back(regions[i].wrote, sizeof regions[i].wrote);
        take_back(regions[i].did_read, sizeof regions[i].did_read);
    }
}

static bool any_other(const epoch *cell, const uint8_t *pages, size_t offset, size_t count, uint32_t own)
{
    for (size_t i = offset; cells_touched(pages, offset, count) && i < offset + count; i++)
        if (cell[i] && epoch_tag(cell[i]) != own)
            return true;
    return false;
}

bool bpor_cells_others(struct thread *thread, uintptr_t start, size_t bytes)
{
    const struct region *region = bpor_known_region(start);
    size_t offset = cell_of(start), count = within_region(start, bytes);
    uint32_t own = epoch_tag(bpor_race_epoch(thread));
    return region && count &&
           (any_other(region->write, region->wrote, offset, count, own) ||
            any_other(region->read, region->did_read, offset, count, own));
}
