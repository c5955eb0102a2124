/* In a table that outlives executions: it tells what to take back. Touches the execution's own mappings and its heap beyond what
 * that was at the fork point, by system calls alone. */
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
    bool mapping_altered; /* after it was made */
    unsigned mappings;    /* made by this execution */
    struct mapping {
        uintptr_t start;
        size_t bytes;
        int protection;
    } mapping[MAX_MAPPINGS];
} * memory;

void bpor_guard_memory_reserve(void)
{
    memory = bpor_reserve_kept(sizeof *memory);
    bpor_guard_heap_reserve();
}

void bpor_guard_memory_mapped(uintptr_t start, size_t bytes, int protection)
{
    if (memory->mappings == MAX_MAPPINGS) {
        bpor_guard_give_up(SYS_mmap, "the program makes more than 256 mappings");
        return;
    }
    memory->mapping[memory->mappings++] = (struct mapping){start, bytes, protection};
}

static struct mapping *own_mapping(uintptr_t start, size_t bytes)
{
    for (unsigned i = 0; i < memory->mappings; i++) {
        struct mapping *mapping = &memory->mapping[i];
        uintptr_t offset = start - mapping->start;
        if (offset <= mapping->bytes && bytes <= mapping->bytes - offset)
            return mapping;
    }
    return NULL;
}

bool bpor_guard_allows_memory(long number, const long *argument)
{
    switch (number) {
    case SYS_brk:
        return bpor_guard_heap_allows((uintptr_t)argument[0]);
    case SYS_madvise:
    case SYS_mprotect:
    case SYS_munmap:
        return own_mapping((uintptr_t)argument[0], (size_t)argument[1]) != NULL;
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

/* What is left of a mapping that is undone in part goes with the rest of it, later. */
static long unmap(uintptr_t start, size_t bytes)
{
    struct mapping *mapping = own_mapping(start, bytes);
    long error = sys_call3(SYS_munmap, start, bytes, 0);
    if (error == 0 && start == mapping->start && bytes == mapping->bytes)
        *mapping = memory->mapping[--memory->mappings];
    else
        memory->mapping_altered = true;
    return error;
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
        memory->mapping_altered = true;
        break;
    default: /* madvise: what it does to contents is seen in them */
        break;
    }
    return sys_call3(number, argument[0], argument[1], argument[2]);
}

void bpor_guard_memory_undo(void)
{
    memory->mapping_altered = false;
    while (memory->mappings > 0) {
        memory->mappings--;
        sys_call3(SYS_munmap, memory->mapping[memory->mappings].start, memory->mapping[memory->mappings].bytes, 0);
    }
    bpor_guard_heap_undo();
}

bool bpor_guard_memory_is_clean(void)
{
    return memory->mappings == 0 && !memory->mapping_altered;
}

bool bpor_guard_mapping_altered(void)
{
    return memory->mapping_altered;
}

const char *bpor_guard_each_new_memory(const char *(*visit)(uintptr_t, uintptr_t, void *), void *data)
{
    const char *problem = visit(bpor_guard_heap_start(), bpor_guard_heap_end(), data);
    for (unsigned i = 0; i < memory->mappings && !problem; i++)
        problem = visit(memory->mapping[i].start, memory->mapping[i].start + memory->mapping[i].bytes, data);
    return problem;
}

void bpor_guard_memory_digest(struct digest *set)
{
    digest_include(set, digest_of(bpor_guard_heap_end()));
    for (unsigned i = 0; i < memory->mappings; i++) {
        struct digest mapping = digest_of(memory->mapping[i].start);
        digest_next(&mapping, memory->mapping[i].bytes);
        digest_next(&mapping, (uint64_t)memory->mapping[i].protection);
        digest_include(set, mapping);
    }
}
