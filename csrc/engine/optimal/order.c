/* Which of the beginnings that wait at a state comes next. Only `dfs`, the order they were found in, is optimal (JACM 2017): in
 * another order some traces are run more than once. None misses a trace. bpor/search/optimal/order.py says what each does. */
#include "engine/optimal/optimal.h"

enum { RING = 257 /* a prime beyond the number of threads */, STRIDE = 97 };

static unsigned reversed_bits(unsigned thread)
{
    unsigned reversed = 0;
    for (unsigned i = 0; i < 8; i++)
        reversed = reversed << 1 | (thread >> i & 1);
    return reversed;
}

/* The least comes first. */
static unsigned key_of(struct optimal *optimal, const struct tree *tree, uint32_t siblings, uint32_t number, unsigned last)
{
    const struct item *item = &optimal->branch[number].item;
    unsigned conflicts = 0;
    switch (optimal->order) {
    case BPOR_WAKEUP_BIT_REVERSAL:
        return reversed_bits(item->thread);
    case BPOR_WAKEUP_ROUND_ROBIN:
        return (item->thread + RING - (last == NO_THREAD ? 0 : last + 1)) % RING;
    case BPOR_WAKEUP_STRIDE:
        return item->thread * STRIDE % RING;
    default:
        for (uint32_t at = siblings; at; at = optimal->branch[at].next)
            conflicts +=
                optimal->branch[at].item.thread != item->thread && item_depends(optimal, tree, item, &optimal->branch[at].item);
        return MAX_BRANCHES - conflicts;
    }
}

/* `last`: the thread taken last at this state, or NO_THREAD. */
uint32_t order_pick(struct optimal *optimal, const struct tree *tree, uint32_t siblings, unsigned last)
{
    uint32_t best = siblings;
    unsigned least = 0;
    if (optimal->order == BPOR_WAKEUP_DFS)
        return siblings;
    for (uint32_t at = siblings; at; at = optimal->branch[at].next) {
        unsigned key = key_of(optimal, tree, siblings, at, last);
        if (at == siblings || key < least) {
            least = key;
            best = at;
        }
    }
    return best;
}
