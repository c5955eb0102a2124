/* Turns the events of the log into steps, as bpor/target/decode.py does for the controller. */
#ifndef BPOR_READER_H
#define BPOR_READER_H
#include "engine/optimal/optimal.h"
#include "engine/tree.h"

struct sampling;

/* Two steps take turns: one is complete only when the next begins. */
struct reader {
    struct told_step step[2];
    unsigned current;
    uint64_t steps;
    uint64_t timed;
    uint8_t alternatives; /* of the next step */
    uint8_t alternative;
    uint32_t source;
    unsigned stopped; /* BPOR_OUTCOME if the rest is ignored, because it is beyond a local bound or known; else 0 */
    struct identity state;
    uint64_t era;
    unsigned frames; /* likewise: of the stack of the next PENDING */
    uint64_t frame[BPOR_MAX_FRAMES];
    unsigned accesses; /* collected for the next STEP or PENDING */
    struct bpor_access access[BPOR_MAX_ACCESSES];
    unsigned pooled[2];
    struct bpor_access pool[2][(THREADS + 2) * BPOR_MAX_ACCESSES];
};

struct lesson {
    struct tree *tree;
    struct bpor_tree_facts *facts;
    struct optimal *optimal;                  /* NULL: the tree searches itself, ... */
    struct sampling *drawn;                   /* ... or nothing is searched at all */
    struct known *known;                      /* NULL: nothing is remembered */
    bool over;                                /* the process ended after the last step: nobody was asked who could go on */
    void (*learned)(const struct tree *tree); /* after every step */
    /* a stack that operations are in; NULL: nobody asks for them */
    void (*called)(uint64_t stack, const uint64_t *frame, unsigned frames);
};

/* Puts the steps of the log on the tree. `enabled` and `timed`: in the last state; `ends_process`: inside the segment of the last
 * step. */
uint64_t reader_learn(struct reader *reader, const struct lesson *lesson, const struct bpor_event *log, uint32_t events,
                      uint64_t enabled, uint64_t timed, bool ends_process);
/* An execution that only answers a question: what its step touched, in reader->access. False: it made none. */
bool reader_answer(struct reader *reader, const struct bpor_event *log, uint32_t events);
#endif
