/* Rollback of memory. At the fork point every present writable private page is copied; after an execution those that were
 * written are copied back.
 *
 * A page that was written (page_scan.c tells) is in the learned set, unprotected, and is put back after every execution; a scan
 * then only finds new ones. One that many executions have left as it was is protected again and leaves the set, once. A scan
 * costs more than a small execution, and is left out after one without a fault (faults.c). Without write-protection every page
 * that is there counts as written, if they are few; else the caller falls back to fork. So it is for all memory where containers
 * forbid userfaultfd, and everywhere for memory that the kernel may drop (MAP_DROPPABLE), in which glibc keeps the state of
 * getrandom since 2.41.
 *
 * Invariant: runs on the keeper's stack and touches no memory that it restores but to restore it. */
#define _GNU_SOURCE
#include "reset/pages.h"
#include "arch/x86_64/page.h"
#include "process/maps.h"
#include "reset/faults.h"
#include "reset/page_scan.h"
#include "runtime/reserve.h"
#include "runtime/runtime.h"
#include "runtime/sys.h"
#include <limits.h>
#include <sys/mman.h>

enum {
    MAX_REGIONS = 1024,
    MAX_PAGES = 1 << 16,
    MAX_COPIED_BLINDLY = 2048,
    STACK_REACH = 64 << 20,
    LEAVES_AFTER = 32 /* executions that did not change a page */
};
#define HAS_LEFT 1ull /* beside the address of a page: it was learned once, and is protected again */

struct region {
    uintptr_t low; /* where it may begin one day */
    uintptr_t start;
    uintptr_t end;
    bool file_backed;
    bool ours;    /* a table of the runtime */
    bool tracked; /* the kernel tells which of its pages were written */
};

struct page {
    uintptr_t address;
    bool ours;
    bool stays;     /* in the learned set */
    uint8_t quiet;  /* executions in a row that did not change it */
    uint8_t *copy;  /* NULL: absent at the fork point, so zero */
    uint16_t blank; /* its strips that were zero (page.h) */
};

/* In memory of our own that is never restored. */
static struct pages {
    unsigned regions;
    unsigned present; /* pages in `page`, sorted by address */
    unsigned learned;
    bool tracked; /* there are tracked regions */
    bool found_new;
    bool compares; /* the processor does so quickly ... */
    bool widely;   /* ... with the widest registers */
    struct region region[MAX_REGIONS];
    struct page page[MAX_PAGES];
    struct page restore[MAX_PAGES]; /* the learned set */
    uint64_t known[MAX_PAGES * 4];  /* hash: is this page learned? its address, with HAS_LEFT if it was */
    struct maps maps;
    uint8_t aside[PAGE];
} * pages;

static uint8_t *store; /* copies of the present pages */

static unsigned first_from(uintptr_t address)
{
    unsigned low = 0, high = pages->present;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (pages->page[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint8_t *copy_of(uintptr_t address)
{
    unsigned at = first_from(address);
    return at < pages->present && pages->page[at].address == address ? pages->page[at].copy : NULL;
}

/* The entry of a page, or the free one where it belongs. */
static uint64_t *find_known(uintptr_t address)
{
    unsigned size = sizeof pages->known / sizeof pages->known[0];
    unsigned slot = (unsigned)(address >> 12) * 2654435761u % size;
    while (pages->known[slot] && (pages->known[slot] & ~HAS_LEFT) != address)
        slot = (slot + 1) % size;
    return &pages->known[slot];
}

/* What the page of a file was before it was written still stands there. */
static void copy_original(uint8_t *copy, uintptr_t address)
{
    copy_page(pages->aside, (const void *)address);
    sys_call3(SYS_madvise, address, PAGE, MADV_DONTNEED);
    copy_page(copy, (const void *)address);
    copy_page((void *)address, pages->aside);
}

static const char too_many_pages[] = "more than 256 MiB of writable memory";

static const char *remember_page(uintptr_t address, void *data)
{
    const struct region *region = data;
    if (pages->present == MAX_PAGES)
        return too_many_pages;
    uint8_t *copy = store + (size_t)pages->present * PAGE;
    copy_page(copy, (const void *)address);
    pages->page[pages->present++] = (struct page){.address = address, .ours = region->ours, .copy = copy};
    return NULL;
}

static const char *take_written(uintptr_t address, void *data)
{
    const struct region *region = data;
    uint64_t *known = find_known(address);
    if (*known == address)
        return NULL;
    bool stays = *known || !region->tracked || address < region->start;
    *known = address;
    if (pages->learned == MAX_PAGES)
        return "an execution writes more than 256 MiB";
    uint8_t *copy = copy_of(address);
    if (copy == NULL && region->file_backed) {
        if (pages->present == MAX_PAGES)
            return too_many_pages;
        copy = store + (size_t)pages->present * PAGE;
        copy_original(copy, address);
        /* Its place in the store. `page` stays sorted, because nobody looks for this one. */
        pages->page[pages->present++] = (struct page){.address = UINTPTR_MAX, .copy = copy};
    }
    pages->restore[pages->learned++] = (struct page){
        .address = address, .ours = region->ours, .stays = stays, .copy = copy, .blank = copy ? blank_strips(copy) : UINT16_MAX};
    return NULL;
}

static const char *scan_present(struct region *region, scan_visit *visit)
{
    return bpor_scan_present(region->low, region->end, visit, region);
}

static const char *remember_region(struct region *region)
{
    return scan_present(region, remember_page);
}

static const char *take_region(struct region *region)
{
    if (region->tracked)
        return bpor_scan_written(region->low, region->end, take_written, region);
    return scan_present(region, take_written);
}

/* A write to what is there makes no fault: it is learned before the first execution. */
static const char *take_untracked_region(struct region *region)
{
    return region->tracked ? NULL : scan_present(region, take_written);
}

static const char *in_every_region(const char *(*act)(struct region *))
{
    const char *problem = NULL;
    for (unsigned i = 0; i < pages->regions && !problem; i++)
        problem = act(&pages->region[i]);
    return problem;
}

/* Those that are there, run by run: for the others the kernel would make notes, of every page of every stack. One that comes
 * later counts as written. */
static bool protect_present(const struct region *region)
{
    bool done = true;
    for (unsigned i = first_from(region->start); i < pages->present && pages->page[i].address < region->end && done;) {
        uintptr_t start = pages->page[i].address, end = start;
        for (; i < pages->present && pages->page[i].address == end && end < region->end; i++)
            end += PAGE;
        done = bpor_scan_protect(start, end);
    }
    return done;
}

static const char *track_region(struct region *region)
{
    region->tracked = bpor_scan_register(region->start, region->end);
    if (region->tracked && !protect_present(region)) {
        region->tracked = false;
        bpor_scan_unregister(region->start, region->end);
    }
    return NULL;
}

/* A stack that has grown is not made smaller, but emptied. New mappings lie below our reach: the kernel keeps 128 MiB free for
 * it. */
static uintptr_t lowest(const struct map *map, uintptr_t previous_end)
{
    if (!map->stack || map->end - map->start >= STACK_REACH)
        return map->start;
    return previous_end > map->end - STACK_REACH ? previous_end : map->end - STACK_REACH;
}

static const char *add_region(const struct map *map, uintptr_t previous_end)
{
    if (!map->writable || map->special || bpor_is_kept(map->start))
        return NULL;
    if (map->shared)
        return map->ours ? NULL : "the program has a writable shared mapping";
    if (pages->regions == MAX_REGIONS)
        return "more than 1024 mappings";
    bool ours = bpor_is_reserved(map->start);
    pages->region[pages->regions++] =
        (struct region){lowest(map, previous_end), map->start, map->end, map->file_backed, ours, false};
    return NULL;
}

static const char *add_regions(void)
{
    const char *problem = NULL;
    if (!bpor_maps_read(&pages->maps))
        return "/proc/self/maps cannot be read";
    for (unsigned i = 0; i < pages->maps.count && !problem; i++)
        problem = add_region(&pages->maps.map[i], i ? pages->maps.map[i - 1].end : 0);
    return problem;
}

static const char *take_untracked(void)
{
    const char *problem = in_every_region(take_untracked_region);
    if (!problem && pages->learned > MAX_COPIED_BLINDLY)
        problem = "the kernel cannot track written pages, and there are too many to copy them all";
    if (problem)
        bpor_scan_end_tracking();
    return problem;
}

static const char *track(void)
{
    pages->tracked = bpor_scan_begin_tracking();
    if (pages->tracked)
        in_every_region(track_region);
    return take_untracked();
}

const char *bpor_pages_remember(void)
{
    uint8_t *probe = bpor_reserve(PAGE);
    *probe = 0; /* present */
    pages = bpor_reserve_kept(sizeof *pages);
    pages->compares = __builtin_cpu_supports("avx2");
    pages->widely = has_wide_registers();
    store = bpor_reserve_kept((size_t)MAX_PAGES * PAGE);
    bpor_faults_reserve(); /* before the snapshot, in which the pointer must be */
    const char *problem = bpor_scan_reserve();
    if (!problem)
        problem = add_regions();
    if (!problem)
        problem = in_every_region(remember_region);
    if (problem)
        return problem;
    problem = track();
    bpor_faults_try(pages->tracked ? probe : bpor_reserve(PAGE));
    return problem;
}

bool bpor_pages_tracked(void)
{
    return pages->tracked;
}

/* False: it was as it should be. */
static bool restore_page(const struct page *page)
{
    if (pages->widely)
        return settle_page_wide((void *)page->address, page->copy, page->blank);
    if (pages->compares)
        return settle_page((void *)page->address, page->copy, page->blank);
    if (page->copy)
        copy_page((void *)page->address, page->copy);
    else
        zero_page((void *)page->address);
    return true;
}

/* From now on the kernel tells when it is written. False: it cannot. */
static bool let_go(const struct page *page)
{
    if (!bpor_scan_protect(page->address, page->address + PAGE))
        return false;
    *find_known(page->address) |= HAS_LEFT;
    return true;
}

static void restore_learned(void)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < pages->learned; i++) {
        struct page *page = &pages->restore[i];
        bool changed = restore_page(page);
        page->quiet = changed || page->stays ? 0 : page->quiet + 1;
        if (page->quiet == LEAVES_AFTER && let_go(page))
            continue;
        if (kept != i)
            pages->restore[kept] = *page;
        kept++;
    }
    pages->learned = kept;
}

static const char *wipe(uintptr_t address, void *count)
{
    restore_page(&(struct page){.address = address, .blank = UINT16_MAX});
    ++*(unsigned *)count;
    return NULL;
}

unsigned bpor_pages_wipe(uintptr_t start, uintptr_t end)
{
    unsigned count = 0;
    return bpor_scan_present(start, end, wipe, &count) ? UINT_MAX : count;
}

static const char *find_written(void)
{
    const unsigned before = pages->learned;
    const char *problem = bpor_faults_happened() ? in_every_region(take_region) : NULL;
    pages->found_new = pages->learned != before;
    return problem;
}

const char *bpor_pages_look(void)
{
    return find_written();
}

static const char *not_tracked(struct region *region)
{
    region->tracked = false;
    return NULL;
}

const char *bpor_pages_inherit(void)
{
    in_every_region(not_tracked);
    const char *problem = bpor_scan_renew();
    if (!problem)
        problem = track();
    bpor_faults_begin_elsewhere();
    return problem;
}

const char *bpor_pages_restore(void)
{
    const char *problem = find_written();
    if (problem)
        return problem;
    restore_learned();
    return NULL;
}

const char *bpor_pages_each_written(page_visit *visit, void *data)
{
    const char *problem = find_written();
    for (unsigned i = 0; i < pages->learned && !problem; i++)
        if (!pages->restore[i].ours)
            visit(pages->restore[i].address, pages->restore[i].copy, data);
    return problem;
}

static uint64_t lines_that_differ(const struct page *page)
{
    const void *now = (const void *)page->address;
    if (pages->widely)
        return differing_lines_wide(now, page->copy, page->blank);
    if (pages->compares)
        return differing_lines_quick(now, page->copy, page->blank);
    return differing_lines(now, page->copy);
}

void bpor_pages_each_difference(lines_visit *visit, void *data)
{
    for (unsigned i = 0; i < pages->learned; i++) {
        const struct page *page = &pages->restore[i];
        uint64_t lines = lines_that_differ(page);
        if (lines)
            visit(page->address, lines, data);
    }
}

bool bpor_pages_found_new(void)
{
    return pages->found_new;
}

void bpor_pages_each_remembered(page_visit *visit, void *data)
{
    for (unsigned i = 0; i < pages->present; i++)
        if (!pages->page[i].ours && pages->page[i].address != UINTPTR_MAX)
            visit(pages->page[i].address, pages->page[i].copy, data);
}

unsigned bpor_pages_written(void)
{
    return pages->learned;
}

struct visitor {
    page_visit *visit;
    void *data;
};

static const char *visit_new(uintptr_t page, void *data)
{
    const struct visitor *visitor = data;
    visitor->visit(page, NULL, visitor->data);
    return NULL;
}

const char *bpor_pages_each_present(uintptr_t start, uintptr_t end, page_visit *visit, void *data)
{
    return bpor_scan_present(start, end, visit_new, &(struct visitor){visit, data});
}
