/* The stack of Optimal DPOR (JACM 2017, Alg. 2), without recursion: one plan per beginning, one execution per trace.
 *
 * Invariant: node k is the state before step k of the last execution; what is still to be run at it stands in its wakeup tree,
 * the step being explored does not. While a branch is explored those found before it sleep, whether they were explored already or
 * will be. In the paper's order they were. In any other, what the earlier branch finds for one that was taken too soon is run as
 * a branch of its own, and may repeat some of it: sleeping alone does not cover it, the beginnings found are needed too. */
#include "engine/optimal/optimal.h"
#include "engine/plan.h"
#include <stdio.h>
#include <string.h>

/* What this search does not know: another one takes over. */
static void unfit(struct tree *tree, const char *what)
{
    if (!tree->full)
        snprintf(tree->why, sizeof tree->why, "optimal search beside the program does not know %s", what);
    tree->full = true;
}

void optimal_begin(struct optimal *optimal, struct tree *tree, const struct bpor_tree_order *order)
{
    memset(optimal, 0, offsetof(struct optimal, follow));
    memset(optimal->head, 0, sizeof optimal->head);
    memset(optimal->footprint_slot, 0, sizeof optimal->footprint_slot);
    memset(optimal->conflict, 0, sizeof optimal->conflict);
    memset(optimal->answer, 0, sizeof optimal->answer);
    tree_begin(tree, order);
    optimal->order = order->wakeup_order;
    optimal->looking = NO_INDEX;
}

/* ---- the next execution ---- */

static void unlink_branch(struct optimal *optimal, uint32_t *siblings, uint32_t number)
{
    while (*siblings != number)
        siblings = &optimal->branch[*siblings].next;
    *siblings = optimal->branch[number].next;
    optimal->branch[number].next = 0;
}

static uint64_t add_older(const struct optimal *optimal, uint32_t siblings, const struct branch *following, uint64_t mask,
                          struct item *asleep)
{
    for (uint32_t at = siblings; at; at = optimal->branch[at].next) {
        const struct branch *older = &optimal->branch[at];
        if (older->rank < following->rank && older->item.foreseen) {
            asleep[older->item.thread] = older->item;
            mask |= bit(older->item.thread);
        }
    }
    return mask;
}

/* The next beginning of a node's tree: the branches to be followed, and who sleeps in the state before the last of those that
 * surely can be: a reversed step sees another past, so it may end the process, or leave a thread waiting that could go on before.
 */
static void take(struct optimal *optimal, const struct tree *tree, struct node *node)
{
    struct item *asleep = optimal->plan_sleeper;
    unsigned last = node->explored ? optimal->branch[node->explored].item.thread : NO_THREAD;
    uint32_t number = order_pick(optimal, tree, node->waiting, last);
    uint64_t mask = node_beside(optimal, node, &optimal->branch[number], asleep);
    bool certain = optimal->branch[number].item.foreseen;
    unlink_branch(optimal, &node->waiting, number);
    optimal->follow[0] = number;
    optimal->follows = optimal->certain = 1;
    while (optimal->branch[number].children) {
        uint32_t *siblings = &optimal->branch[number].children, next = order_pick(optimal, tree, *siblings, NO_THREAD);
        if (certain) {
            mask = still_asleep(optimal, tree, mask, asleep, &optimal->branch[number].item);
            mask = add_older(optimal, *siblings, &optimal->branch[next], mask, asleep);
            optimal->certain++;
            certain = optimal->branch[next].item.foreseen;
        }
        unlink_branch(optimal, siblings, next);
        optimal->follow[optimal->follows++] = number = next;
    }
    optimal->asleep = 0;
    EACH_THREAD (thread, mask) /* an end of the process wakes with the next step, whatever that is */
        if (!asleep[thread].ends)
            optimal->asleep |= bit(thread);
}

static enum next_run execute(struct optimal *optimal, struct tree *tree, struct bpor_tree_facts *facts)
{
    struct numbering numbering;
    numbering_begin(optimal, tree, &numbering, tree->depth);
    for (uint32_t i = 0; i < optimal->follows; i++) {
        const struct item *item = &optimal->branch[optimal->follow[i]].item;
        facts->schedule[tree->depth + i] = (uint16_t)numbering_take(optimal, &numbering, item->thread, item->creates);
    }
    optimal->planned = tree->depth;
    facts->depth = tree->depth;
    facts->running = true;
    return EXECUTE;
}

enum next_run optimal_next(struct optimal *optimal, struct tree *tree, struct bpor_tree_facts *facts)
{
    if (facts->running)
        return EXECUTE;
    if (!facts->begun || optimal->asking) {
        facts->running = true;
        return EXECUTE;
    }
    while (optimal->nodes) {
        struct node *node = &optimal->node[optimal->nodes - 1];
        node_leave(optimal, node);
        if (node->waiting) {
            take(optimal, tree, node);
            return execute(optimal, tree, facts);
        }
        node_pop(optimal);
        if (optimal->nodes) {
            crew_pop(optimal, tree->step[tree->depth - 1].created);
            past_pop(optimal, tree);
            history_pop(tree);
        }
    }
    facts->depth = tree->depth;
    facts->finished = true;
    return NOTHING_LEFT;
}

/* ---- the plan ---- */

static void tell_sleeper(const struct optimal *optimal, const struct tree *tree, unsigned number, uint32_t which)
{
    const struct footprint *footprint = &optimal->footprint[which];
    bpor_plan_add_sleeper(number, footprint->count);
    for (uint32_t i = 0; i < footprint->count; i++) {
        uint32_t touch = optimal->footprint_touch[footprint->first + i];
        const struct cell *cell = &tree->cell[touched_cell(touch)];
        bpor_plan_add_access((struct bpor_access){cell->object, cell->size, writes(touch)});
    }
}

/* A thread that sleeps exists in the state before the last certain step, but perhaps not yet on the stack. */
static void tell_sleepers(const struct optimal *optimal, const struct tree *tree)
{
    struct numbering numbering;
    numbering_begin(optimal, tree, &numbering, tree->depth);
    for (uint32_t i = 0; i + 1 < optimal->certain; i++) {
        const struct item *item = &optimal->branch[optimal->follow[i]].item;
        numbering_take(optimal, &numbering, item->thread, item->creates);
    }
    EACH_THREAD (thread, optimal->asleep)
        tell_sleeper(optimal, tree, numbering.number[thread], optimal->plan_sleeper[thread].footprint);
}

void optimal_plan(const struct optimal *optimal, const struct tree *tree, const struct bpor_tree_facts *facts)
{
    struct bpor_plan plan = {
        .preemption_bound = BPOR_UNBOUNDED,
        .fair_bound = BPOR_UNBOUNDED,
        .context_bound = BPOR_UNBOUNDED,
        .delta_bound = BPOR_UNBOUNDED,
        .max_steps = tree->order.max_steps,
    };
    if (optimal->asking) {
        plan.flags = BPOR_PLAN_STOP;
        plan.prefix_length = plan.report_from = optimal->question.count;
        plan.tail = 1;
        bpor_plan_set(&plan, optimal->asked);
        return;
    }
    plan.prefix_length = facts->begun ? tree->depth + optimal->certain : 0;
    plan.tail = facts->begun ? optimal->follows - optimal->certain : 0;
    plan.report_from = tree->depth;
    if (tree->depth) {
        plan.flags |= BPOR_PLAN_CHECK_HASH;
        plan.hashed = tree->depth;
        plan.prefix_hash = tree->step[tree->depth - 1].step_hash;
    }
    bpor_plan_set(&plan, facts->schedule);
    if (facts->begun)
        tell_sleepers(optimal, tree);
}

static bool follows_now(const struct optimal *optimal, const struct tree *tree)
{
    return tree->depth - optimal->planned < optimal->follows;
}

unsigned optimal_choose(const struct optimal *optimal, const struct tree *tree, const struct bpor_tree_facts *facts,
                        uint64_t enabled)
{
    uint64_t awake = enabled;
    if (follows_now(optimal, tree) && enabled & bit(facts->schedule[tree->depth]))
        return facts->schedule[tree->depth];
    EACH_THREAD (thread, optimal->asleep & optimal->enrolled)
        awake &= ~bit(optimal->number[thread]);
    if (!awake)
        return NO_THREAD;
    unsigned last = tree->depth ? optimal->number[tree->step[tree->depth - 1].thread] : NO_THREAD;
    return last != NO_THREAD && awake & bit(last) ? last : lowest(awake);
}

/* ---- what the execution did ---- */

void optimal_start(struct optimal *optimal, struct tree *tree, struct bpor_tree_facts *facts, uint64_t enabled, uint64_t timed)
{
    facts->begun = true;
    crew_begin(optimal, tree);
    if (timed)
        unfit(tree, "waits that time out");
    node_push(optimal, tree, enabled);
}

void optimal_step(struct optimal *optimal, struct tree *tree, struct bpor_tree_facts *facts, const struct told_step *step)
{
    const struct told_step *told = crew_translate(optimal, tree, step);
    if (step->alternatives > 1)
        unfit(tree, "steps with alternatives");
    if (tree->full)
        return;
    if (!tree->actor[told->thread].operation) {
        tree_fail(tree, "a thread ran that had ended");
        return;
    }
    facts->schedule[tree->depth] = step->thread;
    history_push(tree, told);
    if (tree->full)
        return;
    const struct pushed *pushed = &tree->step[tree->depth - 1];
    past_push(optimal, tree);
    optimal->step_footprint[tree->depth - 1] = footprint_of(optimal, tree, &tree->touch[pushed->first_touch], pushed->touches);
    optimal->node[optimal->nodes - 1].finished = told->finished;
}

/* What the plan wanted to be followed from here on could not be. */
static void stop_following(struct optimal *optimal, uint32_t from)
{
    for (uint32_t i = from; i < optimal->follows; i++)
        branch_free(optimal, optimal->follow[i]);
    if (optimal->follows > from)
        optimal->follows = from;
}

/* The branch of the step that was just made; `children`: what waits behind it. */
static uint32_t made(struct optimal *optimal, struct tree *tree, const struct item *item, uint32_t *children)
{
    uint32_t at = tree->depth - 1 - optimal->planned;
    *children = 0;
    if (at >= optimal->follows)
        return branch_new(optimal, tree, item);
    uint32_t number = optimal->follow[at];
    struct branch *branch = &optimal->branch[number];
    if (branch->item.thread != item->thread) {
        stop_following(optimal, at);
        return branch_new(optimal, tree, item);
    }
    optimal->open -= branch->item.open;
    branch->item = *item;
    *children = branch->children;
    branch->children = 0;
    if (item->ends) {
        stop_following(optimal, at + 1);
        while (*children) {
            uint32_t child = *children;
            *children = optimal->branch[child].next;
            branch_free(optimal, child);
        }
    }
    return number;
}

static void wake(struct optimal *optimal, const struct tree *tree, const struct item *item)
{
    if (tree->depth - optimal->planned >= optimal->certain)
        optimal->asleep = still_asleep(optimal, tree, optimal->asleep, optimal->plan_sleeper, item);
}

void optimal_state(struct optimal *optimal, struct tree *tree, uint64_t enabled, uint64_t timed)
{
    const struct pushed *step = &tree->step[tree->depth - 1];
    struct item item = {.thread = step->thread,
                        .ends = step->ends,
                        .foreseen = true,
                        .index = NO_INDEX,
                        .footprint = optimal->step_footprint[tree->depth - 1],
                        .creates = step->created};
    uint32_t children;
    if (timed)
        unfit(tree, "waits that time out");
    if (tree->full)
        return;
    optimal->node[optimal->nodes - 1].chosen = made(optimal, tree, &item, &children);
    if (tree->full)
        return;
    node_push(optimal, tree, enabled);
    optimal->node[optimal->nodes - 1].waiting = children;
    wake(optimal, tree, &item);
}

/* Goes on with the races of the last execution, until they are all reversed or a question comes up. */
static void go_on(struct optimal *optimal, struct tree *tree, struct bpor_tree_facts *facts)
{
    optimal->asking = !races_reverse(optimal, tree);
    facts->running = false;
}

/* `complete`: it ended by itself. */
void optimal_end(struct optimal *optimal, struct tree *tree, struct bpor_tree_facts *facts, bool complete, bool redundant)
{
    stop_following(optimal, tree->depth - optimal->planned);
    facts->depth = tree->depth;
    facts->running = false;
    if (redundant || tree->full)
        return;
    races_tell(optimal, tree, optimal->planned);
    optimal->looking = 0;
    optimal->look_at = complete ? tree->depth : RACES_OF_A_CUT;
    go_on(optimal, tree, facts);
}

void optimal_answer(struct optimal *optimal, struct tree *tree, struct bpor_tree_facts *facts, const struct bpor_access *access,
                    unsigned count, bool ran, bool ends)
{
    struct answer answer = {.key = optimal->question.key, .enabled = ran, .told = ran, .ends = ends};
    if (ran) {
        uint32_t first, touches = cells_resolve(tree, access, count, &first);
        answer.footprint = footprint_of(optimal, tree, &tree->touch[first], touches);
        tree->touches = first;
    }
    answer_enter(optimal, &answer);
    go_on(optimal, tree, facts);
}
