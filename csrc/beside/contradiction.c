#include "beside/contradiction.h"

/* What the thread of a step on the stack does after it; NULL: it ends. */
static const struct announced *next_of(const struct tree *tree, uint32_t index)
{
    unsigned thread = tree->step[index].thread;
    for (uint32_t next = index + 1; next < tree->depth; next++)
        if (tree->step[next].thread == thread)
            return pushed_operation(tree, next);
    return history_operation(tree, thread);
}

static bool differs(const struct tree *tree, uint32_t index, const struct bpor_event *event)
{
    if (event->thread != tree->step[index].thread)
        return false;
    const struct announced *expected = next_of(tree, index);
    if (event->type == BPOR_EVENT_FINISHED)
        return expected != NULL;
    return event->type == BPOR_EVENT_PENDING && (!expected || event->op != expected->kind || event->site != expected->site);
}

uint32_t contradiction_in(const struct tree *tree, const struct bpor_event *log, uint32_t events)
{
    uint32_t steps = 0;
    for (uint32_t i = 0; i < events && steps <= tree->depth; i++)
        if (log[i].type == BPOR_EVENT_STEP)
            steps++;
        else if (steps && differs(tree, steps - 1, &log[i]))
            return steps - 1;
    return tree->depth;
}
