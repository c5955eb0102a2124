/* Memory that outlives executions holds a stack of checkpoints for each of the two trees, which take turns. The checkpoints of
 * one stack lie on one path, deeper ones above. A plan that leaves the path drops the checkpoints beyond that point. */
#define _GNU_SOURCE
#include "reset/checkpoints.h"
#include "arch/x86_64/page.h"
#include "beside/search.h"
#include "race/race.h"
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
    ROOM = 32 << 20,
    FIRST_WHOLE = 8,  /* executions that begin at the fork point ... */
    WHOLE_EVERY = 64, /* ... and of so many later ones, one does */
    FAILURES = 16,    /* in a row, and no more are tried */
    FEW_STEPS = 5,    /* are not worth a checkpoint, unless they take so many times what one costs: */
    LONG_STEPS = 8,
    WEIGHT = 8,               /* of what a checkpoint cost before, against what the last one cost */
    LONG_EXECUTION = 1 << 20, /* processor cycles: in a shorter one no checkpoint is taken but where it leaves the way */
    INTERVAL = 1 << 18,
    LEVEL = 16 /* so many checkpoints, and the next lie twice as far apart */
};

struct checkpoint {
    uint32_t depth; /* steps that were made */
    uint32_t threads_made;
    uint32_t looked;
    uint32_t first; /* in the room: where its pages begin, ... */
    uint32_t cells; /* ... where the cells do */
    uint32_t end;
    uintptr_t heap_end;
    struct context context;
};

/* In the room, before those of its lines (page.h) that differ from the fork point. */
struct kept_page {
    uintptr_t address;
    uint64_t lines;
};

struct stack {
    unsigned count;
    struct bpor_plan plan; /* whose bounds hold for all of them */
    struct checkpoint checkpoint[MOST];
    uint64_t seal[MOST];
    uint16_t way[BPOR_TREE_DEPTH]; /* up to the deepest one */
    uint8_t room[ROOM] __attribute__((aligned(64)));
};

static struct checkpoints {
    bool always;
    bool worthwhile; /* an execution was long */
    bool asked;
    bool entered;
    unsigned taken;    /* by the execution that runs */
    unsigned failures; /* to take one, in a row */
    uint64_t executions;
    uint64_t cost;  /* processor cycles: of taking one, and of putting one there, on average */
    uint64_t since; /* the last one, or when the execution began */
    uint64_t began;
    struct stack stack[BPOR_TREES];
} * checkpoints;

void bpor_checkpoints_reserve(void)
{
    uint32_t wanted = bpor->shared->config.checkpoints;
    if (wanted == BPOR_CHECKPOINTS_OFF)
        return;
    checkpoints = bpor_reserve_kept_early(sizeof *checkpoints);
    if (checkpoints == NULL)
        return; /* under a limit of address space */
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

/* Before the first step that is not compared, and before anything is told. */
static bool on_the_way(const struct bpor_plan *plan, uint64_t steps)
{
    return steps <= plan->hashed && steps <= plan->report_from && steps < plan->prefix_length;
}

/* The program shares our memory: what it wrote over is not put anywhere. */
static uint64_t seal_of(const struct stack *stack, const struct checkpoint *checkpoint)
{
    return bpor_mix(bpor_bytes_seal(checkpoint, sizeof *checkpoint),
                    bpor_bytes_seal(&stack->room[checkpoint->first], checkpoint->end - checkpoint->first));
}

static bool is_intact(const struct stack *stack)
{
    const struct checkpoint *checkpoint = &stack->checkpoint[stack->count - 1];
    return checkpoint->first <= checkpoint->cells && checkpoint->cells <= checkpoint->end && checkpoint->end <= ROOM &&
           stack->seal[stack->count - 1] == seal_of(stack, checkpoint);
}

/* ---- beginning at one ---- */

static void drop_others(struct stack *stack, const struct bpor_plan *plan, const uint16_t *prefix)
{
    if (stack->count > MOST || !is_plain(plan) || !same_bounds(plan, &stack->plan))
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
    const uint8_t *at = &stack->room[checkpoint->first], *cells = &stack->room[checkpoint->cells];
    while (at < cells) {
        const struct kept_page *kept = (const struct kept_page *)at;
        at = spread_lines((void *)kept->address, at + sizeof *kept, kept->lines);
    }
    bpor_shadow_begin();
    bpor_cells_load(cells);
    bpor->shared->threads_made = checkpoint->threads_made;
    bpor->shared->looked = checkpoint->looked;
    return true;
}

/* Of a program that does not repeat itself, executions that begin on the way show less. */
static bool is_whole(void)
{
    uint64_t number = checkpoints->executions++;
    return (number < FIRST_WHOLE || number % WHOLE_EVERY == 0) && !checkpoints->always;
}

/* One that was interrupted tells nothing: it counts as twice the average at most. */
static void note_cost(uint64_t cycles)
{
    uint64_t before = checkpoints->cost;
    if (before && cycles > 2 * before)
        cycles = 2 * before;
    checkpoints->cost = before ? before - before / WEIGHT + cycles / WEIGHT + 1 : cycles;
}

const struct context *bpor_checkpoint_enter(void)
{
    if (!checkpoints || !bpor_search_active())
        return NULL;
    struct stack *stack = own_stack();
    const uint16_t *prefix;
    const struct bpor_plan *plan = bpor_plan_received(&prefix);
    drop_others(stack, plan, prefix);
    if (stack->count > 0 && !is_intact(stack))
        stack->count = 0;
    uint64_t before = __builtin_ia32_rdtsc();
    checkpoints->taken = 0;
    checkpoints->entered = !is_whole() && stack->count > 0 && put_there(stack, &stack->checkpoint[stack->count - 1]);
    checkpoints->began = checkpoints->since = __builtin_ia32_rdtsc();
    if (checkpoints->entered)
        note_cost(checkpoints->began - before);
    return checkpoints->entered ? &stack->checkpoint[stack->count - 1].context : NULL;
}

void bpor_checkpoints_leave(void)
{
    if (checkpoints)
        checkpoints->worthwhile |= checkpoints->always || __builtin_ia32_rdtsc() - checkpoints->began > LONG_EXECUTION;
}

/* Memory that nobody knew to be written may have been by then. */
void bpor_checkpoints_settle(void)
{
    if (!checkpoints || checkpoints->taken == 0 || !bpor_pages_found_new())
        return;
    struct stack *stack = own_stack();
    stack->count -= checkpoints->taken < stack->count ? checkpoints->taken : stack->count;
}

bool bpor_checkpoint_entered(void)
{
    bool entered = checkpoints->entered;
    checkpoints->entered = false;
    return entered;
}

/* ---- taking one ---- */

/* Where an execution leaves the way others will begin, if coming there takes longer than to take a checkpoint and to put it
 * there. A few short steps never do. Further up one is taken only where the way is long. */
static bool is_far(const struct stack *stack)
{
    uint64_t cycles = __builtin_ia32_rdtsc() - checkpoints->since;
    uint64_t last = stack->count > 0 ? stack->checkpoint[stack->count - 1].depth : 0;
    uint64_t least = bpor->steps >= last + FEW_STEPS ? checkpoints->cost : LONG_STEPS * checkpoints->cost;
    if (bpor->steps == bpor->plan.hashed && cycles > least)
        return true;
    return checkpoints->worthwhile && cycles > (uint64_t)INTERVAL << stack->count / LEVEL;
}

bool bpor_checkpoint_due(void)
{
    if (!checkpoints || !(bpor->steps == bpor->plan.hashed || checkpoints->worthwhile) || checkpoints->failures == FAILURES ||
        !bpor_search_active() || !is_plain(&bpor->plan) || !on_the_way(&bpor->plan, bpor->steps))
        return false;
    return checkpoints->always || is_far(own_stack());
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
    uint8_t *at;
    uint8_t *end;
    bool full;
};

static void keep_lines(uintptr_t page, uint64_t lines, void *data)
{
    struct taking *taking = data;
    if ((size_t)(taking->end - taking->at) < sizeof(struct kept_page) + PAGE) {
        taking->full = true;
        return;
    }
    *(struct kept_page *)taking->at = (struct kept_page){page, lines};
    taking->at = gather_lines(taking->at + sizeof(struct kept_page), (const void *)page, lines);
}

static void keep_if_used(uintptr_t page, const uint8_t *before, void *data)
{
    uint64_t lines = used_lines((const void *)page);
    (void)before;
    if (lines)
        keep_lines(page, lines, data);
}

/* Of heap that was added. */
static bool keep_heap(struct taking *taking)
{
    uintptr_t start = bpor_guard_heap_start(), end = bpor_guard_heap_end();
    return start == end || bpor_pages_each_present(start, end, keep_if_used, taking) == NULL;
}

/* False: there is no room. */
static bool take(struct stack *stack, struct checkpoint *checkpoint)
{
    uint32_t first = stack->count > 0 ? stack->checkpoint[stack->count - 1].end : 0;
    struct taking taking = {&stack->room[first], &stack->room[ROOM], false};
    bpor_pages_each_difference(keep_lines, &taking);
    if (!keep_heap(&taking) || taking.full)
        return false;
    size_t cells = bpor_cells_save(taking.at, (size_t)(taking.end - taking.at));
    if (cells == 0)
        return false;
    if (stack->count == 0)
        stack->plan = bpor->plan;
    memcpy(stack->way, bpor->prefix, bpor->steps * sizeof stack->way[0]);
    checkpoint->depth = (uint32_t)bpor->steps;
    checkpoint->first = first;
    checkpoint->cells = (uint32_t)(taking.at - stack->room);
    checkpoint->end = checkpoint->cells + (uint32_t)cells;
    checkpoint->heap_end = bpor_guard_heap_end();
    checkpoint->threads_made = bpor->shared->threads_made;
    checkpoint->looked = bpor->shared->looked;
    stack->seal[stack->count++] = seal_of(stack, checkpoint);
    checkpoints->taken++;
    return true;
}

const struct context *bpor_checkpoint_take(void)
{
    if (!checkpoints || !checkpoints->asked)
        return NULL;
    checkpoints->asked = false;
    struct stack *stack = own_stack();
    struct checkpoint *checkpoint = &stack->checkpoint[stack->count];
    uint64_t before = __builtin_ia32_rdtsc();
    checkpoints->failures = take(stack, checkpoint) ? 0 : checkpoints->failures + 1;
    checkpoints->since = __builtin_ia32_rdtsc();
    note_cost(checkpoints->since - before);
    return &checkpoint->context;
}
