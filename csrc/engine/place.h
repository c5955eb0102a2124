/* Where the search beside the program keeps what only it looks into: behind the public part of each tree. */
#ifndef BPOR_PLACE_H
#define BPOR_PLACE_H
#include "engine/reader.h"
#include "engine/tree.h"

struct place {
    struct tree tree;
    struct reader reader;
    uint64_t seal;
    uint64_t deadline;
    uint64_t steps_since;
};
_Static_assert(sizeof(struct place) <= BPOR_TREE_BYTES, "a tree does not fit into its place");

extern struct bpor_search *search; /* NULL: there is none */

static inline struct place *place(unsigned number)
{
    return (struct place *)search->stack[number];
}

/* intact.c: each of them answers whether the program left it alone since intact_seal. */
void intact_seal(void);
bool intact_trees(void);
bool intact_counts(void);
bool intact_log(void);
#endif
