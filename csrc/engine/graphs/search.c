/* The next execution of CB-POR: down to the nearest state with a step that leads to nothing known, along known steps where that
 * is possible.
 *
 * After the first step that no execution has shown, an execution goes on by itself, and all states from there on are new. It can
 * reach marked states only if the step was known and it was merely unknown which threads are enabled after it. */
#include "engine/known.h"
#include "engine/plan.h"
#include "engine/tree.h"
#include <stddef.h>
#include <string.h>

enum { WALKED_AT_ONCE = 4096 /* steps without a look at the clock */ };

void graphs_begin(struct tree *tree)
{
    memset(&tree->graphs, 0, offsetof(struct graphs, way));
    graphs_clear(tree);
}

static uint32_t here(const struct tree *tree)
{
    return tree->graphs.way[tree->frames - 1];
}

static struct frame *top(struct tree *tree)
{
    return &tree->frame[tree->frames - 1];
}

static bool cuts(const struct told_step *step)
{
    return step->flags & (BPOR_FLAG_CUT | BPOR_FLAG_YIELD);
}

/* ---- a state that the stack comes to ---- */

bool graphs_arrive(struct tree *tree, const struct told_step *step)
{
    struct graphs *graphs = &tree->graphs;
    const struct frame *frame = top(tree);
    uint64_t enabled = graphs_members(tree, frame->enabled), timed = graphs_members(tree, frame->timed);
    uint32_t number = graphs_find(tree, tree_trace_hash(tree));
    bool known = number && graph_state(tree, number)->marked;
    if (!number)
        number = graphs_add(tree, tree_trace_hash(tree), enabled, timed);
    else if (graph_state(tree, number)->enabled != enabled && !known)
        tree_give_up(tree, "threads that see more than their causal past");
    if (tree->full)
        return false;
    graphs->way[tree->frames - 1] = number;
    if (step)
        graphs_connect(tree, graphs->way[tree->frames - 2], graphs_member(tree, step->thread), cuts(step), number);
    return known;
}

/* What did not come to its end goes no further, and the counts say so. */
void graphs_end(struct tree *tree, enum bpor_outcome outcome)
{
    struct graph_state *state = graph_state(tree, here(tree));
    if (outcome != BPOR_OUTCOME_REDUNDANT && state->enabled) {
        state->enabled = 0;
        graph_state_seal(state);
    }
    graphs_consider(tree, here(tree));
}

/* ---- where to go on ---- */

/* Does a step that was not tried here lead to a state that is known? */
static void recognise(struct tree *tree, struct known *known, unsigned member)
{
    unsigned thread = graphs_thread(tree, member);
    if (!known || thread == NO_THREAD || !known_take(known, tree, thread))
        return;
    history_push(tree, &known->told);
    if (tree->full)
        return;
    uint32_t target = graphs_find(tree, tree_trace_hash(tree));
    history_pop(tree);
    if (target)
        graphs_connect(tree, here(tree), member, cuts(&known->told), target);
}

/* A member that does not lead to a marked state, the cheapest first: keeping the last thread costs nothing. */
static unsigned pick(struct tree *tree, struct known *known)
{
    uint32_t number = here(tree), least = NO_PRICE;
    unsigned best = NO_THREAD;
    EACH_THREAD (member, graphs_within(tree, number)) {
        if (!graphs_edge_of(tree, number, member))
            recognise(tree, known, member);
        uint32_t edge = graphs_edge_of(tree, number, member), price = graphs_price(tree, number, member);
        bool done = edge && graph_state(tree, graph_edge(tree, edge)->target)->marked;
        if (!done && price < least) {
            best = member;
            least = price;
        }
    }
    return best;
}

unsigned graphs_choose(struct tree *tree, struct known *known)
{
    bool marked = graph_state(tree, here(tree))->marked;
    unsigned member = marked ? NO_THREAD : pick(tree, known);
    return member == NO_THREAD || tree->full ? NO_THREAD : graphs_thread(tree, member);
}

bool graphs_follows(struct tree *tree, unsigned thread)
{
    unsigned member = graphs_member(tree, thread);
    uint32_t number = here(tree), edge = graphs_edge_of(tree, number, member);
    if (graph_state(tree, number)->marked || !(graphs_within(tree, number) & bit(member)))
        return false;
    return !edge || !graph_state(tree, graph_edge(tree, edge)->target)->marked;
}

/* ---- the next execution ---- */

static void back(struct tree *tree)
{
    if (--tree->frames)
        history_pop(tree);
}

/* The walk came to the end of a run: some execution has shown it. */
static void end_walk(struct tree *tree, struct bpor_tree_facts *facts)
{
    bpor_plan_walked(facts, true, tree_trace_hash(tree));
    graphs_end(tree, BPOR_OUTCOME_EXIT);
}

static enum next_run finish(struct tree *tree, struct bpor_tree_facts *facts)
{
    facts->refused = graphs_refused(tree);
    facts->depth = tree->depth;
    facts->finished = !tree->full;
    return NOTHING_LEFT;
}

enum next_run graphs_next(struct tree *tree, struct bpor_tree_facts *facts, struct known *known)
{
    for (uint32_t steps = 0; steps < WALKED_AT_ONCE && !tree->full;) {
        if (graph_state(tree, here(tree))->marked) {
            if (tree->frames == 1)
                return finish(tree, facts);
            back(tree);
            continue;
        }
        unsigned thread = graphs_choose(tree, known);
        if (thread == NO_THREAD) {
            graphs_consider(tree, here(tree));
            if (!graph_state(tree, here(tree))->marked)
                tree_fail(tree, "a state has nobody who could go on");
            continue;
        }
        tree_choose_again(tree, facts, thread);
        if (!known || !known_walk_step(known, tree, facts))
            return tree_execute(tree, facts);
        steps++;
        if (!top(tree)->enabled)
            end_walk(tree, facts);
    }
    return PAUSE;
}
