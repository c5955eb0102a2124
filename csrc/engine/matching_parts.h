/* What the parts of matching know of each other: nodes.c (those of the stack), rounds.c (cycles, and what is free because of
 * them), futures.c (entries of the table), matching.c (the rest). */
#ifndef BPOR_ENGINE_MATCHING_PARTS_H
#define BPOR_ENGINE_MATCHING_PARTS_H
#include "engine/matching.h"
#include "engine/tree.h"

static inline struct mark *mark_of(struct tree *tree, const struct frame *frame)
{
    return &tree->matching.mark[frame - tree->frame];
}

static inline bool bounds_preemption(const struct tree *tree)
{
    return tree->order.preemption_bound != BPOR_UNBOUNDED;
}

static inline bool bounds_fair(const struct tree *tree)
{
    return tree->order.fair_bound != BPOR_UNBOUNDED;
}

static inline uint32_t used_at(const struct tree *tree, const struct frame *frame)
{
    return bounds_preemption(tree) ? frame->cost : 0;
}

static inline bool is_open(const struct group *group)
{
    return group && !group->closed;
}

/* nodes.c */
struct identity node_of(const struct tree *tree, const struct frame *frame, struct identity base);
void node_put(struct matching *matching, struct mark *mark);
void node_take_off(struct matching *matching, struct mark *mark);
/* The lowest frame, + 1; 0: none. */
uint32_t node_find(struct matching *matching, struct identity node);

/* rounds.c */
/* A new state, and the step that led to it, become a part of the graph. */
void rounds_note(struct tree *tree, struct frame *frame, const struct frame *before, const struct told_step *step,
                 struct identity identity);
/* The top of the stack reaches back to frame `to`. */
void rounds_close(struct tree *tree, uint32_t to, struct frame *frame);
/* `threads` are to be tried, conservatively, at the start of the block that runs on through a state. */
void rounds_cross(struct tree *tree, const struct frame *frame, uint64_t threads);

/* futures.c */
/* What threads would do next at the top of the stack. */
uint32_t future_begins(struct tree *tree, const struct told_step *step);
/* An entry that knows what a visit of a node would show; NULL: there is none. */
const struct entry *future_find(struct tree *tree, const struct frame *frame, struct identity node);
/* What lies below is known. Its races with the stack are looked for as if it were explored again. */
void future_know(struct tree *tree, const struct entry *entry, struct frame *frame);
/* What was explored below a frame is remembered; `group`: 0, or of those that are still open. */
void future_remember(struct tree *tree, const struct frame *frame, const struct mark *mark, uint32_t group);
#endif
