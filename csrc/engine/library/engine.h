/* A search with everything it needs, behind bpor/include/bpor_engine.h.
 *
 * Invariant: `position` steps of the running execution were told. Those before `replayed` are on the stack already; they are only
 * compared, by a hash of all that was told of them. */
#ifndef BPOR_LIBRARY_ENGINE_H
#define BPOR_LIBRARY_ENGINE_H
#include "engine/known.h"
#include "engine/optimal/optimal.h"
#include "engine/tree.h"
#pragma GCC visibility push(default)
#include "../../../bpor/include/bpor_engine.h"
#pragma GCC visibility pop

enum { POOL = 1 << 16, REASON_BYTES = 200 };

struct sleeping_words {
    uint64_t *word;
    uint64_t count;
    uint64_t room;
    uint32_t sleepers;
};

struct bpor_engine {
    struct bpor_engine_options options;
    uint32_t contradicted_at; /* + 1; 0: never */
    uint32_t position;
    uint32_t replayed;
    uint32_t needed; /* steps of the plan */
    bool running;
    bool moved;    /* a step was told, and the state it led to was not */
    bool optimal;  /* the search is `wakeups`; `tree` has only its history */
    bool answered; /* what the execution was to show: the step was made */
    int32_t stop;  /* why the execution has no next step; 0: it has */
    uint64_t hash; /* of everything told */
    uint64_t complete;
    uint64_t outside;
    uint64_t asked;
    uint64_t refused_states;
    char error[REASON_BYTES];
    uint8_t kind[THREADS]; /* of each thread's next operation */
    struct told_step step; /* the last one; complete when the next state is told */
    uint32_t pooled;
    struct bpor_access pool[POOL]; /* its accesses and those of the operations announced after it */
    struct sleeping_words sleeping;
    int shelf; /* descriptor + 1 of the file of best-first search; 0: there is none yet */
    struct tree tree;
    struct bpor_tree_facts facts;
    struct known table;
    struct optimal wakeups;
};

void engine_fail(struct bpor_engine *engine, int32_t stop, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* A thread did something else than the table of known steps says, or than it did before: error, unless there is a table to blame.
 */
void engine_diverge(struct bpor_engine *engine, const char *what);
/* shelf.c: does what best-first search asks of its file. */
void engine_shelve(struct bpor_engine *engine);
/* The execution that runs only answers a question of optimal search. */
bool engine_asks(const struct bpor_engine *engine);
/* What was told of the last step is complete: it goes on the stack, and so does the state it led to. */
void engine_complete(struct bpor_engine *engine, uint64_t ready, uint64_t waiters);
#endif
