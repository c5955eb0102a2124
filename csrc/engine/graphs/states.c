/* Costs and marks are propagated along the edges. Costs go forwards: a cheaper path to a state makes the states beyond it
 * cheaper, and may bring a thread within the bound that was beyond it. Marks go backwards (Mark of Musuvathi and Qadeer 2007,
 * Alg. 2).
 *
 * Removing the last event of a given thread from a graph gives exactly one graph. So at most one edge of each thread leads to a
 * state, and that edge holds the cost of reaching the state with that thread as the last one. */
#include "engine/tree.h"

static uint32_t bound_of(const struct tree *tree)
{
    return tree->leads_within;
}

/* Does going on with `member` leave the thread of an edge that could go on? */
static bool preempts(const struct graph_state *state, const struct graph_edge *edge, unsigned member)
{
    return edge->member != member && !state->timed && state->enabled & bit(edge->member) && !edge->cuts;
}

/* The fewest preemptions with which a member can run in a state. */
uint32_t graphs_price(struct tree *tree, uint32_t number, unsigned member)
{
    const struct graph_state *state = graph_state(tree, number);
    uint32_t price = state->first ? 0 : NO_PRICE;
    for (uint32_t at = state->arrivals; at && !tree->full;) {
        const struct graph_edge *edge = graph_edge(tree, at);
        if (edge->cost != NO_PRICE && edge->cost + preempts(state, edge, member) < price)
            price = edge->cost + preempts(state, edge, member);
        at = edge->next_arrival;
    }
    return price;
}

uint64_t graphs_within(struct tree *tree, uint32_t number)
{
    uint64_t enabled = graph_state(tree, number)->enabled, within = 0;
    if (bound_of(tree) == BPOR_UNBOUNDED)
        return enabled;
    EACH_THREAD (member, enabled)
        if (graphs_price(tree, number, member) <= bound_of(tree))
            within |= bit(member);
    return within;
}

uint64_t graphs_refused(struct tree *tree)
{
    uint64_t refused = 0;
    for (uint32_t number = 1; number <= tree->graphs.states; number++)
        refused += graphs_within(tree, number) != graph_state(tree, number)->enabled;
    return refused;
}

/* ---- marks ---- */

/* Does every step within the bound lead to a marked state? */
static bool is_done(struct tree *tree, uint32_t number)
{
    EACH_THREAD (member, graphs_within(tree, number)) {
        uint32_t edge = graphs_edge_of(tree, number, member);
        if (!edge || !graph_state(tree, graph_edge(tree, edge)->target)->marked)
            return false;
    }
    return true;
}

enum { LAST = 0xffffffff }; /* of a list */

static void wait_for_mark(struct tree *tree, uint32_t *waiting, uint32_t number)
{
    struct graph_state *state = graph_state(tree, number);
    if (state->waiting)
        return;
    state->waiting = *waiting;
    graph_state_seal(state);
    *waiting = number;
}

void graphs_consider(struct tree *tree, uint32_t number)
{
    uint32_t waiting = LAST;
    wait_for_mark(tree, &waiting, number);
    while (waiting != LAST && !tree->full) {
        uint32_t at = waiting;
        struct graph_state *state = graph_state(tree, at);
        waiting = state->waiting;
        state->waiting = 0;
        graph_state_seal(state);
        if (is_done(tree, at) == state->marked)
            continue;
        state->marked = !state->marked;
        graph_state_seal(state);
        for (uint32_t edge = state->arrivals; edge && !tree->full; edge = graph_edge(tree, edge)->next_arrival)
            wait_for_mark(tree, &waiting, graph_edge(tree, edge)->origin);
    }
}

/* ---- costs ---- */

static void wait_to_fall(struct tree *tree, uint32_t *falling, uint32_t number)
{
    struct graph_edge *edge = graph_edge(tree, number);
    if (edge->falling)
        return;
    edge->falling = *falling;
    graph_edge_seal(edge);
    *falling = number;
}

/* The price of an edge is less than it was. */
static void fall(struct tree *tree, struct graph_edge *edge, uint32_t price)
{
    bool bounded = bound_of(tree) != BPOR_UNBOUNDED;
    uint64_t before = bounded ? graphs_within(tree, edge->target) : 0;
    edge->cost = price;
    graph_edge_seal(edge);
    if (bounded && graph_state(tree, edge->target)->marked && graphs_within(tree, edge->target) & ~before)
        graphs_consider(tree, edge->target);
}

static void spread(struct tree *tree, uint32_t first)
{
    uint32_t falling = LAST;
    wait_to_fall(tree, &falling, first);
    while (falling != LAST && !tree->full) {
        struct graph_edge *edge = graph_edge(tree, falling);
        falling = edge->falling;
        edge->falling = 0;
        graph_edge_seal(edge);
        uint32_t price = graphs_price(tree, edge->origin, edge->member);
        if (price > bound_of(tree) || price >= edge->cost)
            continue;
        fall(tree, edge, price);
        for (uint32_t at = graph_state(tree, edge->target)->edges; at && !tree->full; at = graph_edge(tree, at)->next)
            wait_to_fall(tree, &falling, at);
    }
}

void graphs_connect(struct tree *tree, uint32_t origin, unsigned member, bool cuts, uint32_t target)
{
    if (graphs_edge_of(tree, origin, member))
        return;
    uint32_t number = graphs_edge_new(tree);
    struct graph_state *from = graph_state(tree, origin), *to = graph_state(tree, target);
    if (tree->full)
        return;
    tree->graphs.edge[number] = (struct graph_edge){
        .origin = origin,
        .target = target,
        .next = from->edges,
        .next_arrival = to->arrivals,
        .cost = NO_PRICE,
        .member = (uint8_t)member,
        .cuts = cuts,
    };
    graph_edge_seal(&tree->graphs.edge[number]);
    from->edges = to->arrivals = number;
    graph_state_seal(from);
    graph_state_seal(to);
    spread(tree, number);
}
