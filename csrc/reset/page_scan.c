/* The kernel's asynchronous write-protection (userfaultfd, UFFD_FEATURE_WP_ASYNC) with PAGEMAP_SCAN tells which pages were
 * written, without a handler and without a fault that the target could see. Touches its own table, which outlives executions, and
 * changes nothing in the pages that it is asked about. */
#define _GNU_SOURCE
#include "reset/page_scan.h"
#include "arch/x86_64/page.h"
#include "process/descriptors.h"
#include "reset/page_tracking.h"
#include "runtime/reserve.h"
#include "runtime/sys.h"
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>

enum { SCAN_RANGES = 512 };

#define PRESENT (PAGE_IS_PRESENT | PAGE_IS_SWAPPED)

static struct page_scan {
    int pagemap_fd;
    int fault_fd;
    struct page_region found[SCAN_RANGES];
} * scan;

static const char *open_pagemap(void)
{
    scan->pagemap_fd = bpor_descriptor_raise(sys_call4(SYS_openat, AT_FDCWD, "/proc/self/pagemap", O_RDONLY | O_CLOEXEC, 0));
    return scan->pagemap_fd < 0 ? "/proc/self/pagemap cannot be opened" : NULL;
}

const char *bpor_scan_reserve(void)
{
    scan = bpor_reserve_kept(sizeof *scan);
    return open_pagemap();
}

/* Both descriptors tell of the process that opened them. */
const char *bpor_scan_renew(void)
{
    sys_call3(SYS_close, scan->pagemap_fd, 0, 0);
    bpor_scan_end_tracking();
    return open_pagemap();
}

/* With the descriptor goes every protection: what is left of one would look like a page that is there. */
void bpor_scan_end_tracking(void)
{
    if (scan->fault_fd >= 0)
        sys_call3(SYS_close, scan->fault_fd, 0, 0);
    scan->fault_fd = -1;
}

bool bpor_scan_begin_tracking(void)
{
    struct uffdio_api api = {.api = UFFD_API, .features = UFFD_FEATURE_WP_ASYNC | UFFD_FEATURE_WP_UNPOPULATED};
    scan->fault_fd = bpor_descriptor_raise(sys_call3(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY, 0, 0));
    if (scan->fault_fd >= 0 && sys_call3(SYS_ioctl, scan->fault_fd, UFFDIO_API, &api) == 0)
        return true;
    bpor_scan_end_tracking();
    return false;
}

bool bpor_scan_register(uintptr_t start, uintptr_t end)
{
    struct uffdio_register registration = {.range = {start, end - start}, .mode = UFFDIO_REGISTER_MODE_WP};
    return sys_call3(SYS_ioctl, scan->fault_fd, UFFDIO_REGISTER, &registration) == 0;
}

bool bpor_scan_protect(uintptr_t start, uintptr_t end)
{
    struct uffdio_writeprotect protection = {.range = {start, end - start}, .mode = UFFDIO_WRITEPROTECT_MODE_WP};
    return sys_call3(SYS_ioctl, scan->fault_fd, UFFDIO_WRITEPROTECT, &protection) == 0;
}

void bpor_scan_unregister(uintptr_t start, uintptr_t end)
{
    struct uffdio_range range = {start, end - start};
    sys_call3(SYS_ioctl, scan->fault_fd, UFFDIO_UNREGISTER, &range);
}

/* A page that must not be touched (MADV_GUARD_INSTALL; since glibc 2.42 every thread's stack has some): the kernel counts it as
 * swapped out and as written. Asked to bring it in, it refuses; a read would be a fault. */
static bool is_guard_page(uintptr_t page)
{
    return sys_call3(SYS_madvise, page, PAGE, MADV_POPULATE_READ) == -EFAULT;
}

static const char *visit_range(const struct page_region *range, scan_visit *visit, void *data)
{
    const char *problem = NULL;
    for (uintptr_t page = range->start; page < range->end && !problem; page += PAGE)
        if (range->categories & PAGE_IS_PRESENT || !is_guard_page(page))
            problem = visit(page, data);
    return problem;
}

/* A page that is not there has not been written, though the kernel may count it as such. */
static const char *each_page(uintptr_t start, uintptr_t end, uint64_t also, scan_visit *visit, void *data)
{
    const char *problem = NULL;
    struct pm_scan_arg argument = {
        .size = sizeof argument,
        .end = (end + PAGE - 1) & ~(uintptr_t)(PAGE - 1),
        .walk_end = start & ~(uintptr_t)(PAGE - 1),
        .vec = (uint64_t)scan->found,
        .vec_len = SCAN_RANGES,
        .category_mask = also,
        .category_anyof_mask = PRESENT,
        .return_mask = PAGE_IS_PRESENT,
    };
    while (argument.walk_end < argument.end && !problem) {
        argument.start = argument.walk_end;
        long found = sys_call3(SYS_ioctl, scan->pagemap_fd, PAGEMAP_SCAN, &argument);
        if (found < 0)
            return "the kernel cannot tell which pages are present (PAGEMAP_SCAN)";
        for (long i = 0; i < found && !problem; i++)
            problem = visit_range(&scan->found[i], visit, data);
    }
    return problem;
}

const char *bpor_scan_present(uintptr_t start, uintptr_t end, scan_visit *visit, void *data)
{
    return each_page(start, end, 0, visit, data);
}

const char *bpor_scan_written(uintptr_t start, uintptr_t end, scan_visit *visit, void *data)
{
    return each_page(start, end, PAGE_IS_WRITTEN, visit, data);
}
