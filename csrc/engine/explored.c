#include "engine/explored.h"
#include <string.h>

void explored_forget(struct explored *explored)
{
    if (explored->states)
        memset(explored->state_slot, 0, sizeof explored->state_slot);
    if (explored->edges)
        memset(explored->edge_slot, 0, sizeof explored->edge_slot);
    explored->states = explored->edges = explored->looked = 0;
    explored->full = false;
}

uint32_t explored_state(struct explored *explored, struct identity identity, uint64_t enabled)
{
    uint32_t slot = (uint32_t)(bpor_mix(identity.low, identity.high) >> 20) % STATE_SLOTS;
    for (; explored->state_slot[slot]; slot = (slot + 1) % STATE_SLOTS) {
        struct explored_state *state = &explored->state[explored->state_slot[slot]];
        if (identity_equals(state->identity, identity)) {
            state->enabled = enabled;
            return explored->state_slot[slot];
        }
    }
    if (explored->states == MAX_STATES) {
        explored->full = true;
        return 0;
    }
    explored->state[++explored->states] = (struct explored_state){.identity = identity, .enabled = enabled};
    return explored->state_slot[slot] = explored->states;
}

static uint32_t *edge_slot(struct explored *explored, uint32_t from, unsigned thread)
{
    uint32_t slot = (uint32_t)(bpor_mix(from, thread) >> 20) % EDGE_SLOTS;
    for (; explored->edge_slot[slot]; slot = (slot + 1) % EDGE_SLOTS) {
        const struct explored_edge *edge = &explored->edge[explored->edge_slot[slot]];
        if (edge->from == from && edge->thread == thread)
            break;
    }
    return &explored->edge_slot[slot];
}

void explored_step(struct explored *explored, uint32_t from, unsigned thread, uint32_t to, bool ends_rounds)
{
    uint32_t *slot = edge_slot(explored, from, thread);
    if (*slot)
        return;
    if (explored->edges == MAX_EDGES) {
        explored->full = true;
        return;
    }
    explored->edge[++explored->edges] =
        (struct explored_edge){.from = from, .to = to, .thread = thread, .ends_rounds = ends_rounds};
    *slot = explored->edges;
}

struct explored_edge *explored_edge(struct explored *explored, uint32_t from, unsigned thread)
{
    uint32_t found = from ? *edge_slot(explored, from, thread) : 0;
    return found ? &explored->edge[found] : NULL;
}
