/* Where the search beside the program keeps what only it looks into: behind the public part of each tree. */
#ifndef BPOR_PLACE_H
#define BPOR_PLACE_H
#include "beside/frozen.h"
#include "beside/reader.h"
#include "beside/sampling.h"
#include "beside/ways.h"
#include "engine/known.h"
#include "engine/optimal/optimal.h"
#include "engine/tree.h"

enum { MET_SLOTS = 1 << 16, MET_TRIES = 32 };

struct place {
    struct tree tree;
    struct reader reader;
    struct known known; /* of the first place, for both */
    struct optimal optimal;
    struct sampling sampling;
    struct ways ways;     /* of the first place, for both */
    struct frozen frozen; /* likewise */
    uint64_t seal;
    uint64_t deadline;
    uint64_t steps_since;
    uint64_t run;    /* number of the execution that runs */
    bool took_turns; /* the other tree has executed some of its traces */
    struct met {
        struct identity node;
        uint64_t run; /* that came by it */
    } met[MET_SLOTS];
    uint32_t past_read; /* by any execution, when the tree began */
    uint64_t looks;     /* what was known of looks, likewise */
    bool in_total;      /* states that are counted as the tree's are counted in the total */
    bool locating;      /* the execution that runs shows where a contradiction lies */
};
_Static_assert(sizeof(struct place) <= sizeof((struct bpor_search *)0)->stack[0], "a tree does not fit into its place");

extern struct bpor_search *search; /* NULL: there is none */

static inline struct place *place(unsigned number)
{
    return (struct place *)search->stack[number];
}

/* The tree's history serves optimal search, if that is what was ordered; NULL: the tree searches itself. */
static inline struct optimal *optimal_of(unsigned number)
{
    return place(number)->tree.order.flags & BPOR_TREE_OPTIMAL ? &place(number)->optimal : NULL;
}

/* Likewise for executions that are drawn. */
static inline struct sampling *sampling_of(unsigned number)
{
    return place(number)->tree.order.sample ? &place(number)->sampling : NULL;
}

/* search.c. Once a clock was read, clocks are part of the identities, and there are more such facts (bpor_past). The states that
 * a tree knows are then worthless, and it begins anew: true. */
bool begins_with_past(unsigned number);

/* seal.c */
uint64_t tree_seal(const struct tree *tree);
uint64_t optimal_seal(const struct optimal *optimal, const struct tree *tree);
uint64_t facts_seal(const struct bpor_tree_facts *facts);
uint64_t counts_seal(const struct bpor_tally *tally, const struct bpor_answer *answer);
uint64_t event_seal(const struct bpor_event *event, uint64_t before);

/* intact.c: each of them answers whether the program left it alone since intact_seal. */
void intact_seal(void);
bool intact_trees(void);
bool intact_counts(void);
bool intact_log(void);
#endif
