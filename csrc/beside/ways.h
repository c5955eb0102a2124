/* The ways in which executions have failed, and the cheapest execution of each. After the first failures the controller looks
 * only at one that fails in a way of its own, or costs less than all before it: so what is found does not depend on who came
 * first, however many executions fail (bpor/search/failures.py keeps them in the same order). */
#ifndef BPOR_BESIDE_WAYS_H
#define BPOR_BESIDE_WAYS_H
#include "engine/tree.h"

enum { WAYS = 128 };

struct ways {
    unsigned count;
    struct way {
        uint64_t how; /* a hash */
        uint64_t preemptions;
        uint64_t bits; /* of its length: a search that goes back a step at a time would find a shorter one each time */
        uint64_t rank; /* among those that cost the same */
    } way[WAYS];
};

/* How the execution on the tree has failed: where its end is, and for a deadlock where everybody waits. */
uint64_t way_of(const struct tree *tree, unsigned how, const struct bpor_end *end);
/* A hash of a schedule. */
uint64_t schedule_rank(const struct bpor_tree_facts *facts);
/* Is it a new one, or cheaper than the one that is known? It is known from now on. */
bool ways_note(struct ways *ways, uint64_t how, const struct bpor_tree_facts *facts, const struct bpor_end *end);
#endif
