/* States and edges in tables that only grow. They are too large to be sealed with the rest of the search (beside/seal.c), so each
 * entry has a checksum, which is compared whenever the entry is read. */
#include "engine/tree.h"
#include <stddef.h>
#include <string.h>

typedef uint64_t aliasing_word __attribute__((may_alias));

/* The factors are odd, so that a change of any single word changes the checksum. The products are independent of each other, so
 * that the processor computes them in parallel: this runs all the time. */
static inline uint64_t check_of(const void *data, size_t bytes)
{
    const aliasing_word *word = data;
    uint64_t check = 0x9e3779b97f4a7c15u;
    for (size_t i = 0; i < bytes / sizeof *word; i++)
        check += word[i] * ((2 * i + 1) * 0xbf58476d1ce4e5b9u);
    return check;
}

void graph_state_seal(struct graph_state *state)
{
    state->check = check_of(state, offsetof(struct graph_state, check));
}

void graph_edge_seal(struct graph_edge *edge)
{
    edge->check = check_of(edge, offsetof(struct graph_edge, check));
}

struct graph_state *graph_state(struct tree *tree, uint32_t number)
{
    struct graphs *graphs = &tree->graphs;
    struct graph_state *state = &graphs->state[number <= graphs->states ? number : 0];
    if (number == 0 || number > graphs->states || state->check != check_of(state, offsetof(struct graph_state, check))) {
        tree_fail(tree, "a state was written over");
        graphs->state[0] = (struct graph_state){.marked = true};
        return &graphs->state[0];
    }
    return state;
}

struct graph_edge *graph_edge(struct tree *tree, uint32_t number)
{
    struct graphs *graphs = &tree->graphs;
    struct graph_edge *edge = &graphs->edge[number <= graphs->edges ? number : 0];
    if (number == 0 || number > graphs->edges || edge->check != check_of(edge, offsetof(struct graph_edge, check))) {
        tree_fail(tree, "a step between states was written over");
        graphs->edge[0] = (struct graph_edge){.cost = NO_PRICE};
        return &graphs->edge[0];
    }
    return edge;
}

/* If a wild write empties a slot, a known state looks new when it is met again. That costs executions and nothing else. */
static uint32_t *slot_of(struct tree *tree, uint64_t key)
{
    struct graphs *graphs = &tree->graphs;
    uint32_t at = (uint32_t)(key * 0x9e3779b97f4a7c15u >> 40) & (graphs->slots - 1);
    while (graphs->slot[at] && !tree->full && graph_state(tree, graphs->slot[at])->key != key)
        at = (at + 1) & (graphs->slots - 1);
    return &graphs->slot[at];
}

static void clear(struct graphs *graphs, uint32_t slots)
{
    graphs->slots = slots;
    memset(graphs->slot, 0, slots * sizeof graphs->slot[0]);
}

void graphs_clear(struct tree *tree)
{
    clear(&tree->graphs, FIRST_GRAPH_SLOTS);
}

static void grow(struct tree *tree)
{
    clear(&tree->graphs, 4 * tree->graphs.slots);
    for (uint32_t number = 1; number <= tree->graphs.states && !tree->full; number++)
        *slot_of(tree, graph_state(tree, number)->key) = number;
}

uint32_t graphs_find(struct tree *tree, uint64_t key)
{
    uint32_t number = *slot_of(tree, key);
    return tree->full ? 0 : number;
}

uint32_t graphs_add(struct tree *tree, uint64_t key, uint64_t enabled, uint64_t timed)
{
    struct graphs *graphs = &tree->graphs;
    if (graphs->states + 1 >= MAX_GRAPHS) {
        tree_give_up(tree, "states");
        return 0;
    }
    if (2 * (graphs->states + 1) > graphs->slots)
        grow(tree);
    uint32_t number = ++graphs->states;
    graphs->state[number] = (struct graph_state){.key = key, .enabled = enabled, .timed = timed, .first = number == 1};
    graph_state_seal(&graphs->state[number]);
    *slot_of(tree, key) = number;
    return number;
}

uint32_t graphs_edge_new(struct tree *tree)
{
    struct graphs *graphs = &tree->graphs;
    if (graphs->edges + 1 >= MAX_GRAPH_EDGES) {
        tree_give_up(tree, "steps between states");
        return 0;
    }
    return ++graphs->edges;
}

uint32_t graphs_edge_of(struct tree *tree, uint32_t number, unsigned member)
{
    uint32_t at = graph_state(tree, number)->edges;
    while (at && !tree->full && graph_edge(tree, at)->member != member)
        at = graph_edge(tree, at)->next;
    return tree->full ? 0 : at;
}
