/* Least: does some execution that is equivalent to the one on the stack need at most so many preemptions?
 *
 * Asked by a search that leads: it ignores the preemption bound as long as every trace it finds lies within it. Nothing depends
 * on the answer but how soon it gives up (E46, E47 show what goes wrong where traces are pruned by it), so what would be costly
 * is rounded: a thread that waits for something else than a mutex counts as disabled until the trace lets it go on, one that has
 * no further step in the trace is left for nothing, and a question that takes more than a thousand nodes is answered no.
 *
 * A node is a downset of the trace (how many steps each thread has done) and the last thread; depth-first search. A thread
 * that can go on does: what it does now it need not do later, and leaving it does not become dearer. Threads that touch nothing
 * in common are counted apart. */
#include "engine/known.h"
#include "engine/question.h"
#include <string.h>

/* ---- the trace, by threads ---- */

static bool gather(struct least *least, const struct tree *tree)
{
    uint32_t next = 0;
    least->tree = tree;
    if (tree->depth > LEAST_STEPS)
        return false;
    for (unsigned thread = 0; thread < tree->width; thread++) {
        least->first[thread] = next;
        next += tree->actor[thread].exists ? tree->actor[thread].steps : 0;
        least->count[thread] = next - least->first[thread];
    }
    for (uint32_t i = 0; i < tree->depth; i++) {
        const struct pushed *step = &tree->step[i];
        least->step[least->first[step->thread] + step->local - 1] = i;
    }
    return true;
}

/* The step that a thread does next in a downset; -1: it has none left in the trace. */
static int64_t next_step(const struct least *least, const struct least_node *node, unsigned thread)
{
    return node->done[thread] < least->count[thread] ? (int64_t)least->step[least->first[thread] + node->done[thread]] : -1;
}

static bool done(const struct least *least, const struct least_node *node, uint32_t step)
{
    return least->tree->step[step].local <= node->done[least->tree->step[step].thread];
}

/* Is all that happens before a step in the downset, as far as the group is concerned? */
static bool ready(const struct least *least, const struct least_node *node, uint32_t step, uint64_t group)
{
    const clock_vector *clock = &least->tree->clock[step];
    EACH_THREAD (thread, group & ~bit(least->tree->step[step].thread))
        if (clock->steps[thread] > node->done[thread])
            return false;
    return true;
}

static const struct announced *operation_of(const struct least *least, uint32_t step)
{
    return &least->tree->operation[least->tree->step[step].operation_before - 1];
}

/* ---- what a thread sees in a downset ---- */

struct downset {
    const struct least *least;
    const struct least_node *node;
};

static struct sight sight_in(const struct view *view, uint32_t cell)
{
    const struct downset *downset = view->state;
    const struct tree *tree = view->tree;
    struct sight sight = {0};
    for (uint32_t i = 0; i < tree->depth; i++) {
        const struct pushed *step = &tree->step[i];
        if (!done(downset->least, downset->node, i))
            continue;
        for (uint32_t k = 0; k < step->touches; k++) {
            uint32_t touch = tree->touch[step->first_touch + k];
            if (touched_cell(touch) != cell)
                continue;
            sight.read = writes(touch) ? 0 : sight.read + step->hash;
            sight.written = writes(touch) ? step->hash : sight.written;
            locks_follow(tree, step, k, operation_of(downset->least, i)->kind, &sight.holding);
        }
    }
    return sight;
}

static uint64_t past_in(const struct view *view, unsigned thread)
{
    const struct downset *downset = view->state;
    const struct least *least = downset->least;
    uint32_t steps = downset->node->done[thread], created = view->tree->actor[thread].created;
    if (steps)
        return view->tree->step[least->step[least->first[thread] + steps - 1]].hash;
    return created ? view->tree->step[created - 1].hash : 0;
}

static bool ended_in(const struct view *view, unsigned thread)
{
    const struct downset *downset = view->state;
    return downset->node->done[thread] == downset->least->count[thread] && view->tree->actor[thread].operation == 0;
}

/* Could an operation run in the downset although other steps come first in the trace? If that is unknown, the answer is yes,
 * which only makes the search give up sooner. */
static bool may_run(const struct least *least, const struct least_node *node, unsigned thread, const struct announced *operation)
{
    struct downset downset = {least, node};
    struct view view = {least->tree, &downset, sight_in, past_in, ended_in};
    if (!(bpor_properties(operation->kind) & BLOCKS))
        return true;
    return known_may_be_enabled(least->known, question(&view, thread, operation));
}

static bool conflict(const struct tree *tree, const struct announced *operation, const struct pushed *step)
{
    for (uint32_t i = 0; i < operation->count; i++)
        for (uint32_t k = 0; k < step->touches; k++) {
            uint32_t one = tree->touch[operation->first + i], other = tree->touch[step->first_touch + k];
            EACH_NEAR (tree, touched_cell(one), near)
                if (near == touched_cell(other) && (writes(one) || writes(other)))
                    return true;
        }
    return step->ends;
}

/* Does a later step of the trace depend on the operation that is pending for this thread but never performed in the trace? */
static bool is_passed_over(const struct least *least, const struct least_node *node, unsigned thread, uint64_t group)
{
    const struct tree *tree = least->tree;
    const struct announced *operation = history_operation(tree, thread);
    for (uint32_t i = tree->depth; operation && i-- > 0;)
        if (group & bit(tree->step[i].thread) && !done(least, node, i) && conflict(tree, operation, &tree->step[i]))
            return may_run(least, node, thread, operation);
    return false;
}

/* What it costs to run another thread than the last one. */
static unsigned price_of_leaving(const struct least *least, const struct least_node *node, uint64_t group)
{
    if (node->last == NO_THREAD || node->free)
        return 0;
    int64_t next = next_step(least, node, node->last);
    if (next < 0)
        return is_passed_over(least, node, node->last, group);
    return ready(least, node, (uint32_t)next, group) || may_run(least, node, node->last, operation_of(least, (uint32_t)next));
}

/* ---- the search ---- */

static uint64_t key_of(const struct least_node *node, uint64_t group)
{
    uint64_t key = bpor_mix(node->last, node->free);
    EACH_THREAD (thread, group)
        key = bpor_mix(key, node->done[thread]);
    return key ? key : 1;
}

/* Enters a node, unless it was reached as cheaply before. False: there is no room. */
static bool enter(struct least *least, const struct least_node *node, uint64_t group)
{
    uint64_t key = key_of(node, group);
    uint32_t slot = (uint32_t)(key % LEAST_SLOTS);
    while (least->key[slot] && least->key[slot] != key)
        slot = (slot + 1) % LEAST_SLOTS;
    if (least->key[slot] && least->cost[slot] <= node->cost)
        return true;
    if (least->nodes == LEAST_NODES)
        return false;
    least->key[slot] = key;
    least->cost[slot] = node->cost;
    least->node[least->nodes] = *node;
    least->open[least->opened++] = (uint16_t)least->nodes++;
    return true;
}

/* The node to which a thread leads that runs from here as far as the trace lets it, or to a yield. */
static struct least_node run(const struct least *least, const struct least_node *from, unsigned thread, unsigned price,
                             uint64_t group)
{
    struct least_node to = *from;
    int64_t step = next_step(least, from, thread);
    if (thread != from->last && !least->tree->step[step].timed_out) /* a timeout ends an idle state, which is left for nothing */
        to.cost += price;
    to.last = (uint8_t)thread;
    do {
        to.free = least->tree->step[step].cuts;
        to.done[thread]++;
        step = next_step(least, &to, thread);
    } while (step >= 0 && !to.free && ready(least, &to, (uint32_t)step, group));
    return to;
}

/* Who gets furthest is tried first, before all those who get to their end. */
static uint32_t progress(const struct least *least, const struct least_node *from, const struct least_node *to)
{
    uint32_t steps = to->done[to->last] - from->done[to->last];
    return next_step(least, to, to->last) < 0 ? LEAST_STEPS + steps : steps;
}

static bool expand(struct least *least, const struct least_node *node, uint32_t most, uint64_t group)
{
    unsigned price = price_of_leaving(least, node, group), found = 0;
    EACH_THREAD (thread, group) {
        int64_t step = next_step(least, node, thread);
        if (step < 0 || !ready(least, node, (uint32_t)step, group))
            continue;
        struct least_node to = run(least, node, thread, price, group);
        unsigned place = found++;
        for (; place && progress(least, node, &least->next[place - 1]) > progress(least, node, &to); place--)
            least->next[place] = least->next[place - 1];
        least->next[place] = to;
    }
    for (unsigned i = 0; i < found; i++)
        if (least->next[i].cost <= most && !enter(least, &least->next[i], group))
            return false;
    return true;
}

static bool is_whole(const struct least *least, const struct least_node *node, uint64_t group)
{
    EACH_THREAD (thread, group)
        if (node->done[thread] < least->count[thread])
            return false;
    return true;
}

/* The preemptions that some order of a group's steps needs; more than `most` if there is none with so few, or it took too long.
 */
static uint32_t needed_by(struct least *least, uint64_t group, uint32_t most)
{
    struct least_node root = {.last = NO_THREAD};
    memset(least->key, 0, sizeof least->key);
    least->nodes = least->opened = 0;
    enter(least, &root, group);
    while (least->opened) {
        const struct least_node *node = &least->node[least->open[--least->opened]];
        if (is_whole(least, node, group))
            return node->cost;
        if (!expand(least, node, most, group))
            break;
    }
    return most + 1;
}

/* ---- groups ---- */

/* Who has touched a cell, or would touch it next. */
static uint64_t users_of(const struct cell *cell)
{
    return cell->writers | cell->readers | cell->pending_access;
}

/* The threads that use, directly or through others, what `thread` uses and somebody writes. */
static uint64_t group_of(const struct tree *tree, unsigned thread)
{
    uint64_t group = bit(thread), before = 0;
    if (tree->step[tree->depth - 1].ends)
        return tree->existing;
    while (group != before) {
        before = group;
        for (uint32_t i = 0; i < tree->cells; i++) {
            uint64_t users = 0;
            if ((tree->cell[i].writers | tree->cell[i].pending_write) == 0)
                continue;
            EACH_NEAR (tree, i, near)
                users |= users_of(&tree->cell[near]);
            group |= users & group ? users & tree->existing : 0;
        }
    }
    return group;
}

bool least_within(struct known *known, const struct tree *tree, uint32_t most)
{
    struct least *least = &known->least;
    uint32_t used = 0;
    uint64_t left = tree->existing;
    least->known = known;
    if (!gather(least, tree))
        return false;
    while (left && used <= most) {
        uint64_t group = group_of(tree, lowest(left));
        left &= ~group;
        if (group & (group - 1))
            used += needed_by(least, group, most - used);
    }
    return used <= most;
}
