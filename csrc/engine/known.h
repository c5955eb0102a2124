/* Known steps: what a thread does next is a function of its causal past, so a step that some execution has shown need not be
 * executed again. The table is of the program, not of a tree: levels of a bound share it.
 *
 * Invariants: an entry holds names, never numbers of threads or indices of cells. Forgetting one is always sound, so what a
 * program wrote over is forgotten: each entry proves itself, by its key or by a checksum. */
#ifndef BPOR_KNOWN_H
#define BPOR_KNOWN_H
#include "engine/least.h"
#include "engine/tree.h"

enum {
    KNOWN_SLOTS = 1 << 20, /* of each table; all are emptied when one is three quarters full */
    KNOWN_WORDS = 1 << 24,
    KNOWN_LONGEST = 4096 /* words of an entry */
};

struct known {
    uint64_t steps;
    uint64_t answers;
    uint64_t traces;
    uint64_t words;
    uint64_t walked;  /* runs of the search that needed no execution */
    uint64_t refused; /* states on their way at which the bound kept an enabled thread from running */
    bool contradicts; /* a thread did something else than the table says: it saw something outside of its causal past */
    uint32_t where;   /* the step that shows it ... */
    uint64_t site;    /* ... and the operation; 0: it was another thread's being enabled */
    struct least least;
    struct told_step told; /* the step that is walked, and its accesses */
    struct bpor_access pool[KNOWN_LONGEST];
    struct known_step {
        uint64_t key;
        uint64_t check;
        uint32_t first; /* of its words */
        uint32_t count;
    } step[KNOWN_SLOTS];
    uint64_t answer[KNOWN_SLOTS]; /* keys of states of a pending operation, mixed with whether it was enabled */
    uint64_t trace[KNOWN_SLOTS];  /* hashes of traces that were executed to their end */
    uint64_t word[KNOWN_WORDS];
};

/* The step that `told` is about to put on the history was executed. */
void known_learn_step(struct known *known, const struct tree *tree, const struct told_step *told);
/* In the state at the top of the history these threads can go on, others cannot. */
void known_learn_state(struct known *known, const struct tree *tree, uint64_t ready);
/* False: the answer to this question (question.c) is known, and it is no. */
bool known_may_be_enabled(struct known *known, uint64_t question);
/* Another program, or the same one seen otherwise. */
void known_forget(struct known *known);
/* An execution is over; EXIT: it ended by itself, in whatever way. */
void known_learn_end(struct known *known, struct tree *tree, enum bpor_outcome how);
/* Walks on from the choice at the top of the stack as far as steps are known. True: to the end of the run, which need not be
 * executed; false: the choice now at the top is to be executed. */
bool known_walk(struct known *known, struct tree *tree, struct bpor_tree_facts *facts);
#endif
