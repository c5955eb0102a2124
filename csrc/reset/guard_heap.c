/* The table lies in memory that outlives executions. Invariant: while the program runs, memory beyond the page of `now` cannot be
 * accessed, even where pages are kept for later, so a wild access fails as it would in a new process. Between executions it stays
 * open, because the next one may begin where it has as much (checkpoints.h), and closing and opening it takes the kernel longer
 * than what is done there. */
#define _GNU_SOURCE
#include "reset/guard_heap.h"
#include "arch/x86_64/page.h"
#include "reset/faults.h"
#include "reset/pages.h"
#include "runtime/reserve.h"
#include "runtime/sys.h"
#include <stddef.h>
#include <sys/mman.h>

enum { MOST_KEPT = 16384 /* pages that are there */ };

static struct heap {
    uintptr_t start;  /* brk at the fork point */
    uintptr_t now;    /* as the program knows it */
    uintptr_t mapped; /* as the kernel has it, not less */
    uintptr_t open;   /* may be touched up to here, in whole pages */
} * heap;

static uintptr_t whole(uintptr_t end)
{
    return (end + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
}

static uintptr_t move(uintptr_t end)
{
    return (uintptr_t)sys_call3(SYS_brk, end, 0, 0);
}

void bpor_guard_heap_reserve(void)
{
    heap = bpor_reserve_kept(sizeof *heap);
    bpor_guard_heap_look();
    heap->start = heap->now;
}

void bpor_guard_heap_look(void)
{
    heap->now = heap->mapped = move(0);
    heap->open = whole(heap->now);
}

bool bpor_guard_heap_allows(uintptr_t end)
{
    return end == 0 || end >= heap->start;
}

uintptr_t bpor_guard_heap_start(void)
{
    return heap->start;
}

uintptr_t bpor_guard_heap_end(void)
{
    return heap->now;
}

/* Nothing is kept. */
static void give_back(uintptr_t end)
{
    heap->now = heap->mapped = move(end);
    if (heap->open > whole(heap->mapped))
        heap->open = whole(heap->mapped);
}

/* What was kept is the program's again, and empty. */
static bool reach(uintptr_t end)
{
    if (end <= heap->open)
        return true;
    if (sys_call3(SYS_mprotect, heap->open, end - heap->open, PROT_READ | PROT_WRITE) != 0)
        return false;
    heap->open = end;
    return true;
}

static void grow(uintptr_t end)
{
    if (!reach(whole(end < heap->mapped ? end : heap->mapped)))
        give_back(heap->now);
    if (end > heap->mapped) {
        uintptr_t before = heap->mapped, after = move(end);
        if (after < end) {
            give_back(heap->now);
            return;
        }
        heap->mapped = after;
        heap->open = whole(after);
        bpor_faults_expect(before, after - before);
    }
    heap->now = end;
}

long bpor_guard_heap_move(uintptr_t end)
{
    if (end >= heap->start && end < heap->now)
        give_back(end); /* what lay there is gone, and comes back as zeros */
    else if (end > heap->now)
        grow(end);
    return (long)heap->now;
}

void bpor_guard_heap_undo(void)
{
    uintptr_t start = whole(heap->start);
    if (heap->open > start && bpor_pages_wipe(start, heap->open) > MOST_KEPT)
        give_back(heap->start);
    heap->now = heap->start;
}

void bpor_guard_heap_close(void)
{
    uintptr_t end = whole(heap->now);
    if (heap->open <= end)
        return;
    if (sys_call3(SYS_mprotect, end, heap->open - end, PROT_NONE) != 0)
        give_back(heap->now);
    heap->open = end;
}
