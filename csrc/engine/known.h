/* Known steps: what a thread does next is a function of its causal past, so a step that some execution has shown need not be
 * executed again. The table is of the program, not of a tree: levels of a bound share it.
 *
 * Invariants: an entry holds names, never numbers of threads or indices of cells. Forgetting an entry is always sound, so an
 * entry that the program has overwritten is forgotten: each entry is checked by its key or by a checksum. */
#ifndef BPOR_KNOWN_H
#define BPOR_KNOWN_H
#include "engine/least.h"
#include "engine/tree.h"

enum {
    KNOWN_BITS = 20, /* a table has at most 2^KNOWN_BITS slots; all are emptied when one is three quarters full */
    KNOWN_SLOTS = 1 << KNOWN_BITS,
    KNOWN_WORDS = 1 << 24,
    KNOWN_LONGEST = 4096 /* words of an entry */
};
#define KNOWN_NO_ENDINGS 0x6e6f20656e64696eull

/* How much of a table is used. It begins small and doubles: the kernel provides each page of it at its first use, which costs
 * more than to enter a step, and most searches are short. */
struct extent {
    uint32_t bits; /* of its slots */
    uint32_t used;
};

/* 64-bit keys. */
struct known_keys {
    struct extent extent;
    uint64_t key[KNOWN_SLOTS];
};

struct known {
    uint32_t narrowed; /* 1 / 2^narrowed of the tables is used */
    struct extent steps;
    uint64_t words;
    uint64_t no_endings; /* KNOWN_NO_ENDINGS: no step in the table ends the process unannounced. No wild write says so */
    uint64_t executed;   /* executions that were learned ... */
    uint64_t checked;    /* ... and of them those that the table could have answered: see walk.c */
    bool checks;         /* the execution that runs may be one of them: ... */
    bool learned;        /* ... something was new in it */
    uint64_t refused;    /* states on their way at which the bound kept an enabled thread from running */
    bool contradicts;    /* a thread did something else than the table says: it saw something outside of its causal past */
    uint32_t where;      /* the step that shows it ... */
    uint64_t site;       /* ... and the operation; 0: it was another thread's being enabled */
    struct least least;
    struct told_step told; /* the step that is walked, and its accesses */
    struct bpor_access pool[KNOWN_LONGEST];
    struct known_step {
        uint64_t key;
        uint64_t check;
        uint32_t first; /* of its words */
        uint32_t count;
    } step[KNOWN_SLOTS];
    struct known_keys answer; /* of states of a pending operation, mixed with whether it was enabled */
    struct known_keys trace;  /* hashes of traces that were executed to their end */
    uint64_t word[KNOWN_WORDS];
};

/* The step that `told` is about to put on the history was executed. */
void known_learn_step(struct known *known, const struct tree *tree, const struct told_step *told);
/* In the state at the top of the history these threads can go on, others cannot. */
void known_learn_state(struct known *known, const struct tree *tree, uint64_t ready);
/* False: the answer to this question (question.c) is known, and it is no. */
bool known_may_be_enabled(struct known *known, uint64_t question);
/* Another program, or the same one seen otherwise. */
void known_forget(struct known *known, uint32_t narrowed);
/* An execution is over; EXIT: it ended by itself, in whatever way. True: the table could have answered it. */
bool known_learn_end(struct known *known, struct tree *tree, enum bpor_outcome how);

/* walk.c */
/* Walks on from the choice at the top of the stack as far as steps are known. True: to the end of the run, which need not be
 * executed; false: the choice now at the top is to be executed. */
bool known_walk(struct known *known, struct tree *tree, struct bpor_tree_facts *facts);
/* One step, of the choice at the top of the stack, to a state that is known. False: only an execution can tell. */
bool known_walk_step(struct known *known, struct tree *tree, struct bpor_tree_facts *facts);
/* The step of a thread, in known->told. False: it is not known. */
bool known_take(struct known *known, const struct tree *tree, unsigned thread);

/* What their parts ask of each other. */
/* Under a fair bound other steps are yields: a loop that counts its rounds waits (runtime.h). So steps and traces that a tree
 * within one has shown are not those that others need, nor the other way round. */
uint64_t known_step_key(const struct tree *tree, unsigned thread, bool looks);
uint64_t known_ending_key(const struct tree *tree, uint64_t key);
uint64_t known_answer_key(const struct tree *tree, unsigned thread, bool enabled);
uint64_t known_trace_key(const struct tree *tree, bool stranded);

/* known_table.c */
struct known_step *known_find(struct known *known, uint64_t key); /* the free entry where it belongs, if there is none */
uint64_t known_check(const struct known *known, uint64_t key, uint32_t first, uint32_t count);
bool known_proves_itself(const struct known *known, const struct known_step *entry);
void known_make_room(struct known *known);
bool known_has_key(const struct known_keys *keys, uint64_t key);
bool known_add_key(struct known *known, struct known_keys *keys, uint64_t key); /* true: it is new */

/* known_words.c */
struct words {
    uint64_t *at;
    uint32_t count;
};

uint32_t known_words_of(const struct told_step *told);
bool known_put_step(struct words *words, const struct tree *tree, const struct told_step *told);
bool known_take_step(struct known *known, const struct known_step *entry, const struct tree *tree, unsigned thread);
#endif
