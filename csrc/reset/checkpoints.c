/* Memory that outlives executions holds a stack of checkpoints for each of the two trees, which take turns. The checkpoints of
 * one stack lie on one path, deeper ones above. A plan that leaves the path drops the checkpoints beyond that point. */
#define _GNU_SOURCE
#include "reset/checkpoints.h"
#include "arch/x86_64/page.h"
#include "beside/search.h"
#include "race/race.h"
#include "reset/faults.h"
#include "reset/guard.h"
#include "reset/guard_heap.h"
#include "reset/pages.h"
#include "runtime/plan.h"
#include "runtime/reserve.h"
#include "runtime/runtime.h"
#include "weak/weak.h"
#include <string.h>

enum {
    MOST = 64,
    MOST_PAGES = 8192,
    LONG_EXECUTION = 1 << 20, /* processor cycles: a shorter one costs less than a checkpoint saves */
    INTERVAL = 1 << 18,
    LEVEL = 16 /* so many checkpoints, and the next lie twice as far apart */
};

struct checkpoint {
    uint32_t depth; /* steps that were made */
    unsigned first; /* of its pages; then those that hold cells */
    unsigned pages;
    unsigned end;
    uintptr_t heap_end;
    uint32_t threads_made;
    uint32_t looked;
    struct context context;
};

struct stack {
    unsigned count;
    struct bpor_plan plan; /* whose bounds hold for all of them */
    struct checkpoint checkpoint[MOST];
    uint16_t way[BPOR_TREE_DEPTH]; /* up to the deepest one */
    uintptr_t address[MOST_PAGES];
    uint8_t page[MOST_PAGES][PAGE] __attribute__((aligned(4096)));
};

static struct checkpoints {
    bool always;
    bool worthwhile; /* an execution was long */
    bool asked;
    bool entered;
    uint64_t since; /* the last one, or when the execution began */
    uint64_t began;
    struct stack stack[BPOR_TREES];
} * checkpoints;

void bpor_checkpoints_reserve(void)
{
    uint32_t wanted = bpor->shared->config.checkpoints;
    if (wanted == BPOR_CHECKPOINTS_OFF)
        return;
    checkpoints = bpor_reserve_kept(sizeof *checkpoints);
    checkpoints->always = wanted == BPOR_CHECKPOINTS_ALWAYS;
}

void bpor_checkpoints_forget(void)
{
    for (unsigned i = 0; checkpoints && i < BPOR_TREES; i++)
        checkpoints->stack[i].count = 0;
}

static struct stack *own_stack(void)
{
    return &checkpoints->stack[bpor_search_turn()];
}

/* Plans that do nothing with the states on the way, and follow the way by choices alone. */
static bool is_plain(const struct bpor_plan *plan)
{
    return (plan->flags & ~(uint32_t)BPOR_PLAN_WAKE_NEXT) == BPOR_PLAN_CHECK_HASH && plan->quantum == 0 &&
           plan->compare_every == 0 && plan->sample == 0;
}

static bool same_bounds(const struct bpor_plan *one, const struct bpor_plan *other)
{
    return one->preemption_bound == other->preemption_bound && one->fair_bound == other->fair_bound &&
           one->context_bound == other->context_bound && one->delta_bound == other->delta_bound;
}

/* Before the last step of what was hashed, and before anything is told. */
static bool on_the_way(const struct bpor_plan *plan, uint64_t steps)
{
    return steps + 1 < plan->hashed && steps + 1 < plan->report_from && steps + 1 < plan->prefix_length;
}

/* ---- beginning at one ---- */

static void drop_others(struct stack *stack, const struct bpor_plan *plan, const uint16_t *prefix)
{
    if (!is_plain(plan) || !same_bounds(plan, &stack->plan))
        stack->count = 0;
    while (stack->count > 0) {
        uint32_t depth = stack->checkpoint[stack->count - 1].depth;
        if (on_the_way(plan, depth) && memcmp(stack->way, prefix, depth * sizeof *prefix) == 0)
            return;
        stack->count--;
    }
}

/* False: there is not as much heap any more. */
static bool put_there(const struct stack *stack, const struct checkpoint *checkpoint)
{
    if ((uintptr_t)bpor_guard_heap_move(checkpoint->heap_end) != checkpoint->heap_end)
        return false;
    for (unsigned i = 0; i < checkpoint->pages; i++)
        copy_page((void *)stack->address[checkpoint->first + i], stack->page[checkpoint->first + i]);
    bpor_shadow_begin();
    bpor_cells_load(stack->page[checkpoint->first + checkpoint->pages]);
    bpor->shared->threads_made = checkpoint->threads_made;
    bpor->shared->looked = checkpoint->looked;
    return true;
}

const struct context *bpor_checkpoint_enter(void)
{
    if (!checkpoints || !bpor_search_active())
        return NULL;
    struct stack *stack = own_stack();
    const uint16_t *prefix;
    const struct bpor_plan *plan = bpor_plan_received(&prefix);
    drop_others(stack, plan, prefix);
    checkpoints->entered = stack->count > 0 && put_there(stack, &stack->checkpoint[stack->count - 1]);
    checkpoints->began = checkpoints->since = __builtin_ia32_rdtsc();
    return checkpoints->entered ? &stack->checkpoint[stack->count - 1].context : NULL;
}

void bpor_checkpoints_leave(void)
{
    if (checkpoints)
        checkpoints->worthwhile |= checkpoints->always || __builtin_ia32_rdtsc() - checkpoints->began > LONG_EXECUTION;
}

bool bpor_checkpoint_entered(void)
{
    bool entered = checkpoints->entered;
    checkpoints->entered = false;
    return entered;
}

/* ---- taking one ---- */

bool bpor_checkpoint_due(void)
{
    if (!checkpoints || !checkpoints->worthwhile || !bpor_search_active() || !is_plain(&bpor->plan) ||
        !on_the_way(&bpor->plan, bpor->steps))
        return false;
    const struct stack *stack = own_stack();
    return checkpoints->always || __builtin_ia32_rdtsc() - checkpoints->since > (uint64_t)INTERVAL << stack->count / LEVEL;
}

struct context *bpor_checkpoint_ask(void)
{
    struct stack *stack = own_stack();
    const struct bpor_shared *shared = bpor->shared;
    if (stack->count == MOST || bpor_weak || bpor->steps >= BPOR_TREE_DEPTH || !bpor_guard_is_clean() || shared->became ||
        shared->cut || shared->events || shared->unidentified[0] || shared->scripts[0] ||
        (stack->count > 0 && stack->checkpoint[stack->count - 1].depth >= bpor->steps))
        return NULL;
    checkpoints->asked = true;
    return &stack->checkpoint[stack->count].context;
}

struct taking {
    struct stack *stack;
    unsigned end;
};

static void keep_page(uintptr_t page, const uint8_t *before, void *data)
{
    struct taking *taking = data;
    (void)before;
    if (taking->end < MOST_PAGES) {
        taking->stack->address[taking->end] = page;
        copy_page(taking->stack->page[taking->end], (const void *)page);
    }
    taking->end++;
}

static void keep_if_used(uintptr_t page, const uint8_t *before, void *data)
{
    if (blank_strips((const void *)page) != UINT16_MAX)
        keep_page(page, before, data);
}

/* False: there is no room. */
static bool take(struct stack *stack, struct checkpoint *checkpoint)
{
    unsigned first = stack->count > 0 ? stack->checkpoint[stack->count - 1].end : 0;
    struct taking taking = {stack, first};
    if (bpor_pages_each_changed(keep_page, &taking) ||
        bpor_pages_each_present(bpor_guard_heap_start(), bpor_guard_heap_end(), keep_if_used, &taking) ||
        taking.end >= MOST_PAGES)
        return false;
    size_t cells = bpor_cells_save(stack->page[taking.end], (size_t)(MOST_PAGES - taking.end) * PAGE);
    if (cells == 0)
        return false;
    if (stack->count == 0)
        stack->plan = bpor->plan;
    memcpy(stack->way, bpor->prefix, bpor->steps * sizeof stack->way[0]);
    checkpoint->depth = (uint32_t)bpor->steps;
    checkpoint->first = first;
    checkpoint->pages = taking.end - first;
    checkpoint->end = taking.end + (unsigned)((cells + PAGE - 1) / PAGE);
    checkpoint->heap_end = bpor_guard_heap_end();
    checkpoint->threads_made = bpor->shared->threads_made;
    checkpoint->looked = bpor->shared->looked;
    stack->count++;
    return true;
}

const struct context *bpor_checkpoint_take(void)
{
    if (!checkpoints || !checkpoints->asked)
        return NULL;
    checkpoints->asked = false;
    struct stack *stack = own_stack();
    struct checkpoint *checkpoint = &stack->checkpoint[stack->count];
    take(stack, checkpoint);
    bpor_faults_begin();
    checkpoints->since = __builtin_ia32_rdtsc();
    return &checkpoint->context;
}
