/* Each table has one anonymous mapping, which is never returned. Guard pages catch overruns and keep the kernel from merging
 * neighbours, so that one line of /proc/self/maps is one table. */
#define _GNU_SOURCE
#include "runtime/reserve.h"
#include "reset/guard.h"
#include "runtime/runtime.h"
#include "runtime/sys.h"
#include <string.h>
#include <sys/mman.h>

enum { GUARD = 4096, MAX_TABLES = 128 };

static struct reserved {
    uintptr_t start;
    bool kept;
} table[MAX_TABLES];
static unsigned tables;

static void give_up(void)
{
    static const char message[] = "bpor-native: the address space limit of the target is too small for the runtime\n";
    sys_write(2, message, sizeof message - 1);
    sys_exit_group(99);
}

static void *reserve_if_room(size_t bytes, bool kept)
{
    bytes = (bytes + GUARD - 1) & ~(size_t)(GUARD - 1);
    long start = sys_call6(SYS_mmap, 0, (long)(bytes + 2 * GUARD), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (tables == MAX_TABLES || (start < 0 && start > -GUARD) ||
        sys_call3(SYS_mprotect, start + GUARD, bytes, PROT_READ | PROT_WRITE) != 0)
        return NULL;
    /* A table is touched here and there: a huge page for each touch would be cleared, and copied after a fork, for nothing. */
    sys_call3(SYS_madvise, start + GUARD, bytes, MADV_NOHUGEPAGE);
    table[tables++] = (struct reserved){(uintptr_t)start + GUARD, kept};
    return (void *)(start + GUARD);
}

static void *reserve(size_t bytes, bool kept)
{
    /* the pointer to the mapping is rolled back, so each execution would make another one */
    if (bpor && bpor->forked && bpor_guard_rolls_back())
        bpor_end(BPOR_OUTCOME_INTERNAL, 0, "a table of the runtime was reserved in an execution");
    void *start = reserve_if_room(bytes, kept);
    if (start == NULL)
        give_up();
    return start;
}

void *bpor_reserve(size_t bytes)
{
    return reserve(bytes, false);
}

void *bpor_reserve_kept(size_t bytes)
{
    return reserve(bytes, true);
}

void *bpor_reserve_kept_early(size_t bytes)
{
    return reserve_if_room(bytes, true);
}

bool bpor_reserve_kept_at(uintptr_t start, size_t bytes)
{
    long at = sys_call6(SYS_mmap, (long)start, (long)bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (at != (long)start || tables == MAX_TABLES)
        return false;
    sys_call3(SYS_madvise, start, bytes, MADV_NOHUGEPAGE);
    sys_call3(SYS_madvise, start, bytes, MADV_DONTDUMP);
    table[tables++] = (struct reserved){start, true};
    return true;
}

bool bpor_reserve_share(void *start, size_t bytes)
{
    bytes = (bytes + GUARD - 1) & ~(size_t)(GUARD - 1);
    long shared = sys_call6(SYS_mmap, 0, (long)bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (shared < 0 && shared > -GUARD)
        return false;
    memcpy((void *)shared, start, bytes);
    return sys_call6(SYS_mremap, shared, (long)bytes, (long)bytes, MREMAP_MAYMOVE | MREMAP_FIXED, (long)start, 0) == (long)start;
}

static const struct reserved *find(uintptr_t start)
{
    for (unsigned i = 0; i < tables; i++)
        if (table[i].start == start)
            return &table[i];
    return NULL;
}

bool bpor_is_kept(uintptr_t start)
{
    const struct reserved *found = find(start);
    return found && found->kept;
}

bool bpor_is_reserved(uintptr_t start)
{
    return find(start) != NULL;
}
