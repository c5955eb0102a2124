/* How many executions the tree will take: bpor/search/estimate.py, which explains it, over the frames of the stack. */
#include "engine/tree.h"

static const double ceiling = 1e300; /* a product of branchings may leave the floats */

static double least(double a, double b)
{
    return a < b ? a : b;
}

static double most(double a, double b)
{
    return a > b ? a : b;
}

/* How many threads will surely be tried at a frame. */
static unsigned untried(const struct tree *tree, const struct frame *frame)
{
    uint64_t wanted = (frame->backtrack | (frame->exceeded ? frame->conservative : 0)) & ~frame->done & ~frame->asleep;
    unsigned count = 0;
    EACH_THREAD (thread, wanted)
        count += !rule_refuses(tree, frame, thread);
    return count;
}

void tree_estimate(const struct tree *tree, struct bpor_tree_facts *facts)
{
    double low = 1, expected = 1, high = 1;
    for (uint32_t i = tree->frames; i-- > tree->root;) {
        const struct frame *frame = &tree->frame[i];
        unsigned left = untried(tree, frame);
        if (!frame->sizes && !left)
            continue;
        double done = (double)frame->sizes_sum, average = (done + expected) / (double)(frame->sizes + 1);
        low = least(ceiling, done + low + left * (frame->sizes ? least(low, (double)frame->sizes_least) : low));
        high = least(ceiling, done + high + left * most(high, (double)frame->sizes_most));
        expected = least(ceiling, done + expected + left * average);
    }
    if (facts->finished)
        low = expected = high = (double)facts->tally.executions;
    facts->low = low;
    facts->expected = expected;
    facts->high = high;
}
