/* GAMBIT's priorities. Each priority takes a few bits of one number, the first one the highest bits. Priorities only order the
 * exploration. */
#include "engine/tree.h"

enum { PRICE_BITS = 16, RANDOM_BITS = 32 };

/* What the thread that ran last was about to do, if another one is chosen. */
static uint32_t left_operation(const struct tree *tree, const struct frame *frame, unsigned thread)
{
    return frame->last == NO_THREAD || frame->last == thread ? 0 : tree->open.pending[frame->last];
}

static uint64_t price(const struct tree *tree, const struct frame *frame, unsigned thread)
{
    uint32_t cost = rule_cost(tree, frame, thread), most = (1u << PRICE_BITS) - 1;
    return cost < most ? cost : most;
}

/* The same choice has the same number whenever it is ranked. */
static uint64_t at_random(const struct tree *tree, const struct open_node *node, unsigned thread)
{
    uint64_t choice = bpor_mix(node->schedule, thread);
    return bpor_scatter(bpor_scatter(tree->order.sample_seed) ^ choice) >> (64 - RANDOM_BITS);
}

static bool is_named(const struct tree *tree, const struct frame *frame, unsigned thread, unsigned priority)
{
    return names_operation(tree, tree->open.pending[thread], priority) ||
           names_operation(tree, left_operation(tree, frame, thread), priority);
}

uint64_t rank_of(const struct tree *tree, const struct frame *frame, const struct open_node *node, unsigned thread)
{
    uint64_t rank = 0;
    for (unsigned i = 0; i < tree->order.priorities; i++)
        switch (tree->order.priority[i]) {
        case BPOR_PRIORITY_PREEMPTIONS:
            rank = rank << PRICE_BITS | price(tree, frame, thread);
            break;
        case BPOR_PRIORITY_RACES:
            rank = rank << 1 | !(frame->raced & bit(thread));
            break;
        case BPOR_PRIORITY_SLEEP:
            rank = rank << 1 | !!(node->sleeping & bit(thread));
            break;
        case BPOR_PRIORITY_RANDOM:
            rank = rank << RANDOM_BITS | at_random(tree, node, thread);
            break;
        default:
            rank = rank << 1 | !is_named(tree, frame, thread, i);
        }
    return rank;
}
