/* Rollback of memory. At the fork point every present writable private page is copied; after an execution those that were
 * written are copied back.
 *
 * Which were written: the kernel's asynchronous write-protection (userfaultfd, UFFD_FEATURE_WP_ASYNC) with PAGEMAP_SCAN tells,
 * without a handler and without a fault that the target could see. A page once written stays in the learned set, unprotected, and
 * is put back after every execution; the scan then only finds new ones. A first write to a protected page is a minor fault of the
 * one thread that runs, and the kernel counts those: an execution without any has written no new page, and the scan, which costs
 * more than a small execution, is left out. Without write-protection (containers often forbid userfaultfd) every page that is
 * there counts as written, if they are few; else the caller falls back to fork.
 *
 * Invariant: runs on the keeper's stack and touches no memory that it restores but to restore it. */
#define _GNU_SOURCE
#include "runtime/pages.h"
#include "runtime/maps.h"
#include "runtime/page_tracking.h"
#include "runtime/reserve.h"
#include "runtime/sys.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>

enum {
    PAGE = 4096,
    MAX_REGIONS = 1024,
    MAX_PAGES = 1 << 16,
    SCAN_RANGES = 512,
    MAX_COPIED_BLINDLY = 2048,
    MAX_POPULATED = 256 << 10,
    HIGH_DESCRIPTOR = 200
};

#define PRESENT (PAGE_IS_PRESENT | PAGE_IS_SWAPPED)

struct region {
    uintptr_t start;
    uintptr_t end;
    bool file_backed;
    bool ours; /* a table of the runtime */
};

struct page {
    uintptr_t address;
    bool ours;
    uint8_t *copy; /* NULL: absent at the fork point, so zero */
};

/* In memory of our own that is never restored. */
static struct pages {
    unsigned regions;
    unsigned present; /* pages in `page`, sorted by address */
    unsigned learned;
    bool tracked;     /* the kernel tells which pages were written */
    bool faults_tell; /* an execution without a fault has written no new one */
    long faults;      /* when the execution began, or written pages were last looked for */
    int scan_fd;      /* /proc/self/pagemap */
    int fault_fd;
    struct region region[MAX_REGIONS];
    struct page page[MAX_PAGES];
    struct page restore[MAX_PAGES]; /* the learned set */
    uint64_t known[MAX_PAGES * 4];  /* hash: is this page learned? its address */
    struct page_region found[SCAN_RANGES];
    struct maps maps;
    uint8_t aside[PAGE];
} * pages;

static uint8_t *store; /* copies of the present pages */

/* The program's own descriptors get the numbers that they would have without us. */
static int out_of_the_way(long fd)
{
    long high = sys_call3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, HIGH_DESCRIPTOR);
    if (fd < 0 || high < 0)
        return (int)fd;
    sys_call3(SYS_close, fd, 0, 0);
    return (int)high;
}

static void copy_page(void *to, const void *from)
{
    /* Not memcpy: libc's lies in memory whose GOT entry we may be restoring. */
    uint64_t count = PAGE / 8;
    __asm__ volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(count) : : "memory");
}

static void zero_page(void *to)
{
    uint64_t count = PAGE / 8;
    __asm__ volatile("rep stosq" : "+D"(to), "+c"(count) : "a"(0) : "memory");
}

static long scan(uintptr_t start, uintptr_t end, uint64_t category, uint64_t flags, uintptr_t *walked)
{
    struct pm_scan_arg argument = {
        .size = sizeof argument,
        .flags = flags,
        .start = start,
        .end = end,
        .vec = (uint64_t)pages->found,
        .vec_len = SCAN_RANGES,
        .category_anyof_mask = category,
        .return_mask = category,
    };
    long found = sys_call3(SYS_ioctl, pages->scan_fd, PAGEMAP_SCAN, &argument);
    *walked = argument.walk_end;
    return found;
}

static const char cannot_scan[] = "the kernel cannot tell which pages are present (PAGEMAP_SCAN)";

/* Calls visit for every page of a region with one of the categories. */
static const char *each_page(const struct region *region, uint64_t category,
                             const char *(*visit)(uintptr_t, const struct region *))
{
    uintptr_t at = region->start;
    while (at < region->end) {
        uintptr_t walked = region->end;
        long found = scan(at, region->end, category, 0, &walked);
        if (found < 0)
            return cannot_scan;
        for (long i = 0; i < found; i++)
            for (uintptr_t page = pages->found[i].start; page < pages->found[i].end; page += PAGE) {
                const char *problem = visit(page, region);
                if (problem)
                    return problem;
            }
        at = walked;
    }
    return NULL;
}

static uint8_t *copy_of(uintptr_t address)
{
    unsigned low = 0, high = pages->present;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (pages->page[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < pages->present && pages->page[low].address == address ? pages->page[low].copy : NULL;
}

static bool learn(uintptr_t address)
{
    unsigned size = sizeof pages->known / sizeof pages->known[0];
    unsigned slot = (unsigned)(address >> 12) * 2654435761u % size;
    for (; pages->known[slot]; slot = (slot + 1) % size)
        if (pages->known[slot] == address)
            return false;
    pages->known[slot] = address;
    return true;
}

/* What the page of a file was before it was written still stands there. */
static void copy_original(uint8_t *copy, uintptr_t address)
{
    copy_page(pages->aside, (const void *)address);
    sys_call3(SYS_madvise, address, PAGE, MADV_DONTNEED);
    copy_page(copy, (const void *)address);
    copy_page((void *)address, pages->aside);
}

/* A page that must not be touched (MADV_GUARD_INSTALL; since glibc 2.42 every thread's stack has some): the kernel counts it as
 * swapped out and as written. Asked to bring it in, it refuses; a read would be a fault. */
static bool is_guard_page(uintptr_t address)
{
    return sys_call3(SYS_madvise, address, PAGE, MADV_POPULATE_READ) == -EFAULT;
}

static const char *remember_page(uintptr_t address, const struct region *region)
{
    (void)region;
    if (is_guard_page(address)) {
        learn(address); /* and never put back */
        return NULL;
    }
    if (pages->present == MAX_PAGES)
        return "more than 256 MiB of writable memory";
    uint8_t *copy = store + (size_t)pages->present * PAGE;
    copy_page(copy, (const void *)address);
    pages->page[pages->present++] = (struct page){address, false, copy};
    return NULL;
}

static const char *take_written(uintptr_t address, const struct region *region)
{
    if (!learn(address))
        return NULL;
    if (pages->learned == MAX_PAGES)
        return "an execution writes more than 256 MiB";
    uint8_t *copy = copy_of(address);
    if (copy == NULL && region->file_backed) {
        if (pages->present == MAX_PAGES)
            return "more than 256 MiB of writable memory";
        copy = store + (size_t)pages->present * PAGE;
        copy_original(copy, address);
        pages->present++; /* its place in the store; `page` stays sorted because only the copy is used */
        pages->page[pages->present - 1] = (struct page){UINTPTR_MAX, false, copy};
    }
    pages->restore[pages->learned++] = (struct page){address, region->ours, copy};
    return NULL;
}

/* Registers all regions for asynchronous write-protection and protects what is there. */
static bool track(void)
{
    struct uffdio_api api = {.api = UFFD_API, .features = UFFD_FEATURE_WP_ASYNC | UFFD_FEATURE_WP_UNPOPULATED};
    pages->fault_fd = out_of_the_way(sys_call3(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY, 0, 0));
    if (pages->fault_fd < 0 || sys_call3(SYS_ioctl, pages->fault_fd, UFFDIO_API, &api) != 0)
        return false;
    for (unsigned i = 0; i < pages->regions; i++) {
        const struct region *region = &pages->region[i];
        struct uffdio_register registration = {.range = {region->start, region->end - region->start},
                                               .mode = UFFDIO_REGISTER_MODE_WP};
        struct uffdio_writeprotect protection = {.range = registration.range, .mode = UFFDIO_WRITEPROTECT_MODE_WP};
        if (sys_call3(SYS_ioctl, pages->fault_fd, UFFDIO_REGISTER, &registration) != 0 ||
            sys_call3(SYS_ioctl, pages->fault_fd, UFFDIO_WRITEPROTECT, &protection) != 0)
            return false;
    }
    return true;
}

static long count_faults(void)
{
    struct rusage usage;
    return sys_call3(SYS_getrusage, RUSAGE_THREAD, &usage, 0) == 0 ? usage.ru_minflt + usage.ru_majflt : -1;
}

/* Believed only where it was seen: a write to a page that is protected, or absent where none is, must be counted. */
static bool writes_are_counted(volatile uint8_t *probe)
{
    long before = count_faults();
    *probe = 1;
    return before >= 0 && count_faults() > before;
}

static const char *add_region(const struct map *map)
{
    if (!map->writable || map->special || bpor_is_kept(map->start))
        return NULL;
    if (map->shared)
        return map->ours ? NULL : "the program has a writable shared mapping";
    if (pages->regions == MAX_REGIONS)
        return "more than 1024 mappings";
    pages->region[pages->regions++] = (struct region){map->start, map->end, map->file_backed, bpor_is_reserved(map->start)};
    return NULL;
}

const char *bpor_pages_remember(void)
{
    const char *problem = NULL;
    uint8_t *probe = bpor_reserve(PAGE);
    *probe = 0; /* present */
    pages = bpor_reserve_kept(sizeof *pages);
    store = bpor_reserve_kept((size_t)MAX_PAGES * PAGE);
    pages->scan_fd = out_of_the_way(sys_call4(SYS_openat, AT_FDCWD, "/proc/self/pagemap", O_RDONLY | O_CLOEXEC, 0));
    if (pages->scan_fd < 0)
        return "/proc/self/pagemap cannot be opened";
    if (!bpor_maps_read(&pages->maps))
        return "/proc/self/maps cannot be read";
    for (unsigned i = 0; i < pages->maps.count && !problem; i++)
        problem = add_region(&pages->maps.map[i]);
    for (unsigned i = 0; i < pages->regions && !problem; i++)
        problem = each_page(&pages->region[i], PRESENT, remember_page);
    if (problem)
        return problem;
    pages->tracked = track();
    pages->faults_tell = writes_are_counted(pages->tracked ? probe : bpor_reserve(PAGE));
    if (!pages->tracked && pages->present > MAX_COPIED_BLINDLY)
        return "the kernel cannot track written pages, and there are too many to copy them all";
    return NULL;
}

bool bpor_pages_tracked(void)
{
    return pages->tracked;
}

static void restore_page(const struct page *page)
{
    if (page->copy)
        copy_page((void *)page->address, page->copy);
    else
        zero_page((void *)page->address);
}

void bpor_pages_begin(void)
{
    if (pages->faults_tell)
        pages->faults = count_faults();
}

void bpor_pages_expect(uintptr_t start, size_t bytes)
{
    if (!pages->faults_tell || bytes > MAX_POPULATED)
        return;
    long before = count_faults();
    sys_call3(SYS_madvise, start, bytes, MADV_POPULATE_WRITE);
    pages->faults += count_faults() - before;
}

static const char *find_written(void)
{
    const char *problem = NULL;
    uint64_t category = pages->tracked ? PAGE_IS_WRITTEN : PRESENT;
    long faults = count_faults();
    if (pages->faults_tell && faults == pages->faults)
        return NULL;
    pages->faults = faults; /* not counted afterwards: a page written by the search itself is to be found by the next one */
    for (unsigned i = 0; i < pages->regions && !problem; i++)
        problem = each_page(&pages->region[i], category, take_written);
    return problem;
}

const char *bpor_pages_restore(void)
{
    const char *problem = find_written();
    if (problem)
        return problem;
    for (unsigned i = 0; i < pages->learned; i++)
        restore_page(&pages->restore[i]);
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

const char *bpor_pages_each_present(uintptr_t start, uintptr_t end, page_visit *visit, void *data)
{
    end = (end + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
    for (uintptr_t at = start & ~(uintptr_t)(PAGE - 1); at < end;) {
        long found = scan(at, end, PRESENT, 0, &at);
        if (found < 0)
            return cannot_scan;
        for (long i = 0; i < found; i++)
            for (uintptr_t page = pages->found[i].start; page < pages->found[i].end; page += PAGE)
                if (pages->found[i].categories & PAGE_IS_PRESENT || !is_guard_page(page))
                    visit(page, NULL, data);
    }
    return NULL;
}

uintptr_t bpor_pages_region(uintptr_t address)
{
    for (unsigned i = 0; i < pages->regions; i++)
        if (address - pages->region[i].start < pages->region[i].end - pages->region[i].start)
            return pages->region[i].start;
    return 0;
}
