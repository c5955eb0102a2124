/* Sampling beside the program: executions are drawn (runtime/sample.c) and counted; nothing is ever finished. */
#ifndef BPOR_SAMPLING_H
#define BPOR_SAMPLING_H
#include "engine/tree.h"

struct sampling {
    uint64_t number; /* of the next execution */
    uint32_t longest;
    uint32_t forced; /* the first steps of every execution: nobody else could have run */
};

void sampling_begin(struct sampling *sampling, struct tree *tree, const struct bpor_tree_order *order);
enum next_run sampling_next(const struct sampling *sampling, struct tree *tree, struct bpor_tree_facts *facts);
void sampling_plan(const struct sampling *sampling, const struct tree *tree, const struct bpor_tree_facts *facts);
void sampling_step(struct sampling *sampling, struct tree *tree, struct bpor_tree_facts *facts, const struct told_step *step);
void sampling_end(struct sampling *sampling, struct tree *tree, struct bpor_tree_facts *facts);
#endif
