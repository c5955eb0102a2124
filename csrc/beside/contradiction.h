/* Where an execution first does something else than the stack of a tree, which known steps have built, says. */
#ifndef BPOR_CONTRADICTION_H
#define BPOR_CONTRADICTION_H
#include "engine/tree.h"

/* The step after which its thread goes on otherwise; the depth of the stack: it is not seen in any thread's own operations. */
uint32_t contradiction_in(const struct tree *tree, const struct bpor_event *log, uint32_t events);

static inline const struct announced *pushed_operation(const struct tree *tree, uint32_t index)
{
    return &tree->operation[tree->step[index].operation_before - 1];
}
#endif
