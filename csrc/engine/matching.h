/* Matching: leaves at states whose future is known. What bpor/search/cycles/tree.py says of it holds here: STATEFUL search after
 * Yang, Chen, Gopalakrishnan, Kirby (SPIN 2008), for bounded search too; errata E31 to E41 of docs/algorithm.md.
 *
 * A node is an identity, who ran last (nobody, if leaving it is free) and what the fair bound counts. After race detection for
 * the step that leads to a state its node is looked up:
 * - It is on the stack: a *cycle*. What lies beyond is explored from there. All threads are tried at every state of the cycle,
 *   else somebody could be put off for ever (E32, E33), and nobody sleeps there (E38).
 * - An entry knows it: what was explored below is not explored again. But it may race with the steps that lead here this time, so
 *   the summary of what lies below is checked against the stack (E31), and requests for the start of a block that runs on through
 *   it are passed on. An entry that is still open reaches back to a frame of the stack: that is a cycle too.
 *
 * Invariants: mark[k] belongs to frame[k]. All tables together are limited; a full one empties all of them, which is sound: the
 * marks of the stack then make no entries. */
#ifndef BPOR_ENGINE_MATCHING_H
#define BPOR_ENGINE_MATCHING_H
#include "engine/entries.h"
#include "engine/explored.h"
#include "engine/sets.h"

struct tree;
struct frame;
struct told_step;

enum { NODE_SLOTS = 1 << 16 };

struct mark {
    struct identity base; /* the state, and what the fair bound counts */
    struct identity node; /* likewise, and who ran last */
    uint64_t cross;       /* threads to be tried, conservatively, at the start of a block that runs on through it */
    uint32_t state;       /* its number; 0: it has no identity, or the graph is full */
    uint32_t low;         /* the lowest frame that its component is known to reach back to */
    uint32_t group;       /* open entries that are anchored here */
    uint32_t summary;     /* set: what threads would do next, here and below */
    uint32_t charged;     /* preemptions, as an executor counts them: it does not know what is free by E37 */
    uint32_t next;        /* of the nodes on the stack; frames + 1 */
    bool identified;
    bool on_stack;
    bool leaf;  /* its future is another's */
    bool freed; /* leaving the last thread is free by E37 alone */
};

struct matching {
    struct identity told;           /* of the state that is told next */
    uint64_t matched;               /* states that were met again */
    uint64_t unidentified;          /* states with enabled threads of which nobody said which they are */
    uint64_t forgotten;             /* how often the tables were emptied */
    uint32_t node_slot[NODE_SLOTS]; /* of the stack */
    struct sets sets;
    struct entries entries;
    struct explored explored;
    struct mark mark[BPOR_TREE_DEPTH + 1];
    uint32_t yields[BPOR_TREE_DEPTH + 1][BPOR_TREE_THREADS]; /* of the threads at each state, if there is a fair bound */
};

void matching_begin(struct tree *tree);
/* A new frame, filled by the bound: `step`, which is on the history, led to it from `before`. */
void matching_arrive(struct tree *tree, struct frame *frame, const struct frame *before, const struct told_step *step);
/* Races with the steps on the stack were looked for. True: the future of the top of it is known. */
bool matching_recognises(struct tree *tree);
/* The executor stopped where it could have gone on, or it does not know which switches are free by E37. The thread that
 * Initialize chooses has to be tried.
 */
bool matching_goes_on(const struct tree *tree, unsigned outcome);
/* `thread` is to be tried before step `index`. */
void matching_cross(struct tree *tree, uint32_t index, uint64_t threads);
/* The top frame leaves the stack; then its step was popped. */
void matching_leave(struct tree *tree, const struct frame *frame);
void matching_popped(struct tree *tree);
/* A state with what a fair bound counts of its live threads, one after the other. */
struct identity matching_yields(struct identity base, uint32_t yields, bool circles);
/* The node of such a state, or of one without a fair bound; `last`: NO_THREAD if leaving it is free. */
struct identity matching_node(const struct tree *tree, struct identity base, unsigned last);
/* A hint for an executor that runs ahead. */
bool matching_seems_known(struct tree *tree, struct identity node, uint32_t spent);
void matching_tell(const struct tree *tree, struct bpor_tree_facts *facts);
/* The graph of states as words, for livelocks: the root, who is enabled in each state, and the edges. 0: there is no room. */
uint64_t matching_save(const struct tree *tree, uint64_t *words, uint64_t room);
/* What an executor may spend on preemptions in the next execution. */
uint32_t matching_limit(const struct tree *tree);
#endif
