/* Explored: the graph that executions have shown. States are known by their identities: equal ones go on alike.
 *
 * Invariant: every edge is a step that some execution took, under whatever bound, so a livelock found here is real. */
#ifndef BPOR_ENGINE_EXPLORED_H
#define BPOR_ENGINE_EXPLORED_H
#include "engine/identity.h"

enum { MAX_STATES = 1 << 19, STATE_SLOTS = MAX_STATES * 2, MAX_EDGES = 1 << 20, EDGE_SLOTS = MAX_EDGES * 2 };

struct explored {
    bool full;       /* it is not the whole graph */
    uint32_t states; /* numbered from 1 */
    uint32_t edges;
    uint32_t looked; /* how often rounds were looked for */
    uint32_t state_slot[STATE_SLOTS];
    uint32_t edge_slot[EDGE_SLOTS];
    struct explored_state {
        struct identity identity;
        uint64_t enabled;
        uint32_t passed; /* by the round that was looked for last ... */
        uint32_t frame;  /* ... here */
        uint32_t walked;
    } state[MAX_STATES + 1];
    struct explored_edge {
        uint32_t from;
        uint32_t to;
        uint32_t thread;
        bool ends_rounds; /* it yields, and the bound counts yields: no round contains it */
        bool circular;    /* running on alone, the thread comes back to the state it leaves here */
    } edge[MAX_EDGES + 1];
};

void explored_forget(struct explored *explored);
/* The number of a state; 0: there is no room for it. */
uint32_t explored_state(struct explored *explored, struct identity identity, uint64_t enabled);
void explored_step(struct explored *explored, uint32_t from, unsigned thread, uint32_t to, bool ends_rounds);
/* NULL: no execution took it. */
struct explored_edge *explored_edge(struct explored *explored, uint32_t from, unsigned thread);
#endif
