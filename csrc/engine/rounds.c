/* Rounds: a thread that comes back to a state alone, and cycles of the stack. */
#include "engine/matching_parts.h"

/* Leaving a thread that runs on alone and comes back to a state that it has passed is free (E37). */
static void set_free(struct tree *tree, struct frame *frame, unsigned thread)
{
    struct mark *mark = mark_of(tree, frame);
    if (frame->last != thread || frame->free)
        return;
    frame->free = mark->freed = true;
    frame->block = (uint32_t)(frame - tree->frame);
    frame->done = bit(thread); /* threads that were refused or charged a preemption there no longer are */
    if (!mark->on_stack)
        return;
    node_take_off(&tree->matching, mark);
    mark->node = node_of(tree, frame, mark->base);
    node_put(&tree->matching, mark);
}

/* A thread has just come to a state. Does it come back from there alone to one that it passed on its way? Then it may be left
 * freely at every state of that round. The frames from `passed` on were passed without a yield that counts. */
static void free_rounds(struct tree *tree, uint32_t state, unsigned thread)
{
    struct explored *explored = &tree->matching.explored;
    const struct mark *mark = tree->matching.mark;
    uint32_t now = ++explored->looked, at = state;
    for (uint32_t i = tree->frames - 1; i-- > 0 && tree->frame[i].chosen == thread && mark[i].state;) {
        const struct explored_edge *edge = explored_edge(explored, mark[i].state, thread);
        if (edge == NULL || edge->ends_rounds)
            break;
        explored->state[mark[i].state].passed = now;
        explored->state[mark[i].state].frame = i;
    }
    while (explored->state[at].passed != now) {
        const struct explored_edge *edge = explored_edge(explored, at, thread);
        if (explored->state[at].walked == now || edge == NULL || edge->ends_rounds)
            return;
        explored->state[at].walked = now;
        at = edge->to;
    }
    for (uint32_t ahead = state; explored->state[ahead].passed != now;) {
        struct explored_edge *edge = explored_edge(explored, ahead, thread);
        edge->circular = true;
        ahead = edge->to;
    }
    for (uint32_t i = explored->state[at].frame; i + 1 < tree->frames; i++) {
        explored_edge(explored, mark[i].state, thread)->circular = true;
        set_free(tree, &tree->frame[i], thread);
    }
}

static bool is_circular(struct tree *tree, uint32_t state, unsigned thread)
{
    const struct explored_edge *edge = explored_edge(&tree->matching.explored, state, thread);
    return edge && edge->circular;
}

void rounds_note(struct tree *tree, struct frame *frame, const struct frame *before, const struct told_step *step,
                 struct identity identity)
{
    struct explored *explored = &tree->matching.explored;
    struct mark *mark = mark_of(tree, frame);
    mark->state = explored_state(explored, identity, frame->enabled);
    if (before == NULL || mark->state == 0)
        return;
    const struct mark *above = mark_of(tree, before);
    if (above->state)
        explored_step(explored, above->state, step->thread, mark->state, step->flags & BPOR_FLAG_YIELD && bounds_fair(tree));
    if (!bounds_preemption(tree))
        return;
    if (!is_circular(tree, mark->state, step->thread))
        free_rounds(tree, mark->state, step->thread);
    if (!frame->free && is_circular(tree, mark->state, step->thread))
        frame->free = mark->freed = true;
}

void rounds_cross(struct tree *tree, const struct frame *frame, uint64_t threads)
{
    uint32_t index = (uint32_t)(frame - tree->frame);
    if (!bounds_preemption(tree) || index == 0 || frame->free)
        return;
    uint32_t block = frame[-1].block;
    EACH_THREAD (thread, threads)
        rule_add(tree, block, thread, true);
    for (uint32_t i = block + 1; i <= index; i++)
        tree->matching.mark[i].cross |= threads;
}

void matching_cross(struct tree *tree, uint32_t index, uint64_t threads)
{
    if (bounds_preemption(tree))
        for (uint32_t i = tree->frame[index].block + 1; i <= index; i++)
            tree->matching.mark[i].cross |= threads;
}

/* Everybody is tried at a state of a cycle, and nobody sleeps there. */
static void expand(struct tree *tree, uint32_t index)
{
    struct frame *frame = &tree->frame[index];
    frame->cyclic = true;
    frame->done &= ~frame->asleep;
    EACH_THREAD (thread, frame->enabled)
        rule_backtrack(tree, index, thread);
}

void rounds_close(struct tree *tree, uint32_t to, struct frame *frame)
{
    struct mark *mark = tree->matching.mark;
    uint32_t index = (uint32_t)(frame - tree->frame), low = to;
    for (uint32_t i = to; i < index; i++)
        low = mark[i].low < low ? mark[i].low : low;
    for (uint32_t i = low; i < index; i++) {
        mark[i].low = mark[i].low < low ? mark[i].low : low;
        if (!tree->frame[i].cyclic)
            expand(tree, i);
    }
    mark[index].low = low;
    rounds_cross(tree, frame, tree->existing);
    frame->exceeded = bounds_preemption(tree) || bounds_fair(tree);
}
