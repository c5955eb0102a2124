/* Compares an execution with the stack of a tree that was built from known steps, and finds the first step at which they
 * differ. */
#ifndef BPOR_CONTRADICTION_H
#define BPOR_CONTRADICTION_H
#include "engine/tree.h"

/* Returns the step after which its thread does something else, or the depth of the stack if the operations of no thread show a
 * difference. */
uint32_t contradiction_in(const struct tree *tree, const struct bpor_event *log, uint32_t events);

static inline const struct announced *pushed_operation(const struct tree *tree, uint32_t index)
{
    return &tree->operation[tree->step[index].operation_before - 1];
}
#endif
