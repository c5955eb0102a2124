/* What least.c needs to answer: it lies beside the table of known steps, not on a stack. */
#ifndef BPOR_LEAST_H
#define BPOR_LEAST_H
#include "engine/tree.h"

enum {
    LEAST_NODES = 1000, /* spent: the answer is no */
    LEAST_SLOTS = 4096,
    LEAST_STEPS = 1 << 14
};

struct least {
    const struct tree *tree;
    struct known *known;
    uint32_t first[THREADS]; /* of a thread's steps in step[] */
    uint32_t count[THREADS];
    uint32_t step[LEAST_STEPS]; /* indices of the stack, thread by thread */
    uint32_t nodes;
    uint32_t opened;
    uint16_t open[LEAST_NODES]; /* to be looked at, the last one first */
    uint32_t cost[LEAST_SLOTS];
    uint64_t key[LEAST_SLOTS];
    struct least_node {
        uint32_t done[THREADS]; /* steps of each thread */
        uint32_t cost;
        uint8_t last;
        bool free; /* leaving it costs nothing: its last step was a yield */
    } node[LEAST_NODES];
    struct least_node next[THREADS]; /* of the node that is looked at */
};

/* Are the steps on the stack equivalent to a sequence with at most so many preemptions? */
bool least_within(struct known *known, const struct tree *tree, uint32_t most);
#endif
