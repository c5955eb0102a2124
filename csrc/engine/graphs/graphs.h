/* CB-POR (Musuvathi and Qadeer 2007): the tree of tree.h, whose states are happens-before graphs. One complete execution for each
 * terminal graph that lies within a preemption bound. bpor/search/cb_por is the same search in Python.
 *
 *     search.c  the next execution: the nearest state with a step that leads to nothing known
 *     states.c  all states, what it costs to come to them, and whether everything beyond them was run
 *     table.c   how states are found, and how they prove that nobody wrote over them
 *     crew.c    threads under numbers that all ways to one state share
 *
 * A state is the sum of the hashes of its events, each of which covers its causal past; so all orders of independent steps lead
 * to one. Two facts spread over the edges (the published recursion runs backwards, and would ask who was enabled in states that
 * no execution has been to): the fewest preemptions forwards, marks backwards. A state is marked iff every step within the bound
 * leads to a marked state. An unmarked one thus has a step that was not tried, or leads to an unmarked state, and no terminal
 * graph is executed twice.
 *
 * That no execution is in vain (Theorem 4 of the paper) needs the marks of states that no execution has been to. They are walked
 * through without the program, along known steps (known.h). Where only an execution can tell who can go on, it may find
 * everything beyond marked: then it counts as redundant.
 *
 * Invariants: those of tree.h; way[k] is the state of frame[k]; sets of threads in states are of members (crew.c). Included by
 * tree.h, which embeds it. */
#ifndef BPOR_GRAPHS_H
#define BPOR_GRAPHS_H
#include "engine/told.h"
#include "protocol/protocol.h"
#include <stdbool.h>
#include <stdint.h>

struct tree;
struct known;

enum {
    MAX_GRAPHS = 1 << 20,
    FIRST_GRAPH_SLOTS = 1 << 12, /* as many as are cleared when a search begins */
    GRAPH_SLOTS = MAX_GRAPHS * 4,
    MAX_GRAPH_EDGES = 1 << 22,
    NO_PRICE = 0xffffffff /* more than any bound */
};

struct graph_state {
    uint64_t key; /* sum of the hashes of its events */
    uint64_t enabled;
    uint64_t timed;
    uint32_t edges;    /* list: steps that were tried here, or lead to a known state */
    uint32_t arrivals; /* list: steps that lead here, at most one for each thread */
    uint32_t waiting;  /* the next state whose mark may have to change; number + 1 */
    bool marked;       /* everything within the bound beyond it was run */
    bool first;        /* nothing led to it */
    uint64_t check;    /* of all that */
};

struct graph_edge {
    uint32_t origin;
    uint32_t target;
    uint32_t next; /* of those that leave the origin */
    uint32_t next_arrival;
    uint32_t cost;    /* the fewest preemptions with which this step can be made last, as far as ways were found */
    uint32_t falling; /* the next edge whose cost may have fallen; number + 1 */
    uint8_t member;
    bool cuts; /* leaving the thread after this step costs nothing */
    uint64_t check;
};

struct graphs {
    uint32_t states;
    uint32_t edges;
    uint32_t members;
    uint32_t slots;                    /* in use: a power of two, at least twice as many as there are states */
    uint64_t name[BPOR_TREE_THREADS];  /* by member: of the actor */
    uint8_t member[BPOR_TREE_THREADS]; /* by thread, as last looked up */
    uint32_t way[BPOR_TREE_DEPTH + 1];
    uint32_t slot[GRAPH_SLOTS]; /* by key; 0: free */
    struct graph_state state[MAX_GRAPHS];
    struct graph_edge edge[MAX_GRAPH_EDGES];
};

/* ---- search.c: what tree.c calls, and whoever runs the program ---- */
void graphs_begin(struct tree *tree);
/* The step that was told led to the frame at the top of the stack; NULL: it is the first. True: everything beyond is known. */
bool graphs_arrive(struct tree *tree, const struct told_step *step);
/* May the execution go on with this thread from the state at the top of the stack? False if what follows is known or exceeds the
 * bound. */
bool graphs_follows(struct tree *tree, unsigned thread);
/* Who goes on there, where nobody runs ahead: a thread, or NO_THREAD if everything beyond is known. */
unsigned graphs_choose(struct tree *tree, struct known *known);
void graphs_end(struct tree *tree, enum bpor_outcome outcome);

/* ---- states.c ---- */
/* `step` of a member leads from one state to another. */
void graphs_connect(struct tree *tree, uint32_t origin, unsigned member, bool cuts, uint32_t target);
/* Marks a state if everything beyond it is marked, unmarks it if not, and then the states before it. */
void graphs_consider(struct tree *tree, uint32_t number);
uint64_t graphs_within(struct tree *tree, uint32_t number); /* members that may run there */
uint32_t graphs_price(struct tree *tree, uint32_t number, unsigned member);
uint64_t graphs_refused(struct tree *tree); /* states where the bound refuses somebody */

/* ---- table.c ---- */
void graphs_clear(struct tree *tree);
uint32_t graphs_find(struct tree *tree, uint64_t key); /* 0: there is none */
uint32_t graphs_add(struct tree *tree, uint64_t key, uint64_t enabled, uint64_t timed);
uint32_t graphs_edge_new(struct tree *tree);
uint32_t graphs_edge_of(struct tree *tree, uint32_t number, unsigned member); /* 0: there is none */
/* An entry that is what it was; one that was written over ends the search, and is empty. */
struct graph_state *graph_state(struct tree *tree, uint32_t number);
struct graph_edge *graph_edge(struct tree *tree, uint32_t number);
/* After every change. */
void graph_state_seal(struct graph_state *state);
void graph_edge_seal(struct graph_edge *edge);

/* ---- crew.c ---- */
unsigned graphs_member(struct tree *tree, unsigned thread);
uint64_t graphs_members(struct tree *tree, uint64_t threads);
unsigned graphs_thread(struct tree *tree, unsigned member); /* NO_THREAD: it does not exist here */
#endif
