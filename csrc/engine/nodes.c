#include "engine/matching_parts.h"

/* Who ran last matters where leaving it costs (erratum E34). */
struct identity matching_node(const struct tree *tree, struct identity base, unsigned last)
{
    return identity_with(base, bounds_preemption(tree) ? last : NO_THREAD);
}

struct identity matching_yields(struct identity base, uint32_t yields, bool circles)
{
    return identity_with(base, (uint64_t)yields << 8 | circles);
}

struct identity node_of(const struct tree *tree, const struct frame *frame, struct identity base)
{
    return matching_node(tree, base, frame->free ? NO_THREAD : frame->last);
}

static uint32_t *node_slot(struct matching *matching, struct identity node)
{
    return &matching->node_slot[entries_slot(node) % NODE_SLOTS];
}

void node_put(struct matching *matching, struct mark *mark)
{
    uint32_t *slot = node_slot(matching, mark->node);
    mark->next = *slot;
    mark->on_stack = true;
    *slot = (uint32_t)(mark - matching->mark) + 1;
}

void node_take_off(struct matching *matching, struct mark *mark)
{
    uint32_t *place = node_slot(matching, mark->node), number = (uint32_t)(mark - matching->mark) + 1;
    if (!mark->on_stack)
        return;
    while (*place != number)
        place = &matching->mark[*place - 1].next;
    *place = mark->next;
    mark->on_stack = false;
}

uint32_t node_find(struct matching *matching, struct identity node)
{
    uint32_t lowest_one = 0;
    for (uint32_t at = *node_slot(matching, node); at; at = matching->mark[at - 1].next)
        if (identity_equals(matching->mark[at - 1].node, node) && (lowest_one == 0 || at < lowest_one))
            lowest_one = at;
    return lowest_one;
}
