/* The table lies in memory that outlives executions, because it says what has to be undone. This file changes, by system calls
 * alone, the execution's own mappings and the heap beyond its end at the fork point. */
#define _GNU_SOURCE
#include "reset/guard_memory.h"
#include "arch/x86_64/page.h"
#include "machine/filter.h"
#include "reset/faults.h"
#include "reset/guard.h"
#include "reset/guard_heap.h"
#include "runtime/reserve.h"
#include "runtime/runtime.h"
#include "runtime/sys.h"
#include <sys/mman.h>

enum { MAX_MAPPINGS = 256 };

static struct memory {
    unsigned mappings; /* made by this execution; one that was given up or protected in part is several */
    struct mapping {
        uintptr_t start;
        uintptr_t end;
        int protection;
    } mapping[MAX_MAPPINGS];
} * memory;

void bpor_guard_memory_reserve(void)
{
    memory = bpor_reserve_kept(sizeof *memory);
    bpor_guard_heap_reserve();
}

static uintptr_t end_of(uintptr_t start, size_t bytes)
{
    return start + ((bytes + PAGE - 1) & ~(size_t)(PAGE - 1));
}

static void add(uintptr_t start, uintptr_t end, int protection)
{
    if (memory->mappings == MAX_MAPPINGS)
        bpor_guard_give_up(SYS_mmap, "the program makes more than 256 mappings");
    else
        memory->mapping[memory->mappings++] = (struct mapping){start, end, protection};
}

void bpor_guard_memory_mapped(uintptr_t start, size_t bytes, int protection)
{
    add(start, end_of(start, bytes), protection);
}

static struct mapping *mapping_at(uintptr_t address)
{
    for (unsigned i = 0; i < memory->mappings; i++)
        if (address >= memory->mapping[i].start && address < memory->mapping[i].end)
            return &memory->mapping[i];
    return NULL;
}

static bool is_own(uintptr_t start, size_t bytes)
{
    const uintptr_t end = end_of(start, bytes);
    const struct mapping *mapping = mapping_at(start);
    while (mapping && mapping->end < end)
        mapping = mapping_at(mapping->end);
    return mapping && end >= start;
}

/* From here on there is a mapping of its own. */
static void cut(uintptr_t at)
{
    struct mapping *mapping = mapping_at(at);
    if (mapping == NULL || mapping->start == at)
        return;
    add(at, mapping->end, mapping->protection);
    mapping->end = at;
}

bool bpor_guard_allows_memory(long number, const long *argument)
{
    switch (number) {
    case SYS_brk:
        return bpor_guard_heap_allows((uintptr_t)argument[0]);
    case SYS_madvise:
    case SYS_mprotect:
    case SYS_munmap:
        return is_own((uintptr_t)argument[0], (size_t)argument[1]);
    case SYS_mmap: /* one that grows would be larger in the end than we know */
        return (argument[3] & (MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_GROWSDOWN)) == (MAP_PRIVATE | MAP_ANONYMOUS);
    default:
        return false;
    }
}

static long map(const long *argument)
{
    long start = sys_call6(SYS_mmap, argument[0], argument[1], argument[2], argument[3], argument[4], argument[5]);
    if (start < 0 && start > -PAGE)
        return start;
    bpor_filter_new_memory((uintptr_t)start, (size_t)argument[1]);
    bpor_guard_memory_mapped((uintptr_t)start, (size_t)argument[1], (int)argument[2]);
    if (argument[2] & PROT_WRITE)
        bpor_faults_expect((uintptr_t)start, (size_t)argument[1]);
    return start;
}

static long unmap(uintptr_t start, size_t bytes)
{
    const uintptr_t end = end_of(start, bytes);
    long error = sys_call3(SYS_munmap, start, bytes, 0);
    if (error != 0)
        return error;
    cut(start);
    cut(end);
    for (unsigned i = memory->mappings; i-- > 0;)
        if (memory->mapping[i].start >= start && memory->mapping[i].end <= end)
            memory->mapping[i] = memory->mapping[--memory->mappings];
    return 0;
}

static long protect(uintptr_t start, size_t bytes, int protection)
{
    const uintptr_t end = end_of(start, bytes);
    long error = sys_call3(SYS_mprotect, start, bytes, protection);
    if (error != 0 || bytes == 0)
        return error;
    cut(start);
    cut(end);
    for (unsigned i = 0; i < memory->mappings; i++)
        if (memory->mapping[i].start >= start && memory->mapping[i].end <= end)
            memory->mapping[i].protection = protection;
    return 0;
}

long bpor_guard_call_memory(long number, const long *argument)
{
    switch (number) {
    case SYS_brk:
        return bpor_guard_heap_move((uintptr_t)argument[0]);
    case SYS_mmap:
        return map(argument);
    case SYS_munmap:
        return unmap((uintptr_t)argument[0], (size_t)argument[1]);
    case SYS_mprotect:
        return protect((uintptr_t)argument[0], (size_t)argument[1], (int)argument[2]);
    default: /* madvise: what it does to contents is seen in them */
        return sys_call3(number, argument[0], argument[1], argument[2]);
    }
}

void bpor_guard_memory_undo(void)
{
    while (memory->mappings > 0) {
        memory->mappings--;
        const struct mapping *mapping = &memory->mapping[memory->mappings];
        sys_call3(SYS_munmap, mapping->start, mapping->end - mapping->start, 0);
    }
    bpor_guard_heap_undo();
}

bool bpor_guard_memory_is_clean(void)
{
    return memory->mappings == 0;
}

/* What nobody may read now may be readable again later. */
static const char *visit_mapping(const struct mapping *mapping, const char *(*visit)(uintptr_t, uintptr_t, void *), void *data)
{
    const size_t bytes = mapping->end - mapping->start;
    const bool readable = mapping->protection & PROT_READ;
    if (!readable && sys_call3(SYS_mprotect, mapping->start, bytes, PROT_READ) != 0)
        return "a mapping of the program cannot be read";
    const char *problem = visit(mapping->start, mapping->end, data);
    if (!readable && sys_call3(SYS_mprotect, mapping->start, bytes, mapping->protection) != 0)
        bpor_end(BPOR_OUTCOME_INTERNAL, 0, "a mapping could not be protected as it was");
    return problem;
}

const char *bpor_guard_each_new_memory(const char *(*visit)(uintptr_t, uintptr_t, void *), void *data)
{
    const char *problem = visit(bpor_guard_heap_start(), bpor_guard_heap_end(), data);
    for (unsigned i = 0; i < memory->mappings && !problem; i++)
        problem = visit_mapping(&memory->mapping[i], visit, data);
    return problem;
}

void bpor_guard_memory_digest(struct digest *set)
{
    digest_include(set, digest_of(bpor_guard_heap_end()));
    for (unsigned i = 0; i < memory->mappings; i++) {
        struct digest mapping = digest_of(memory->mapping[i].start);
        digest_next(&mapping, memory->mapping[i].end);
        digest_next(&mapping, (uint64_t)memory->mapping[i].protection);
        digest_include(set, mapping);
    }
}
