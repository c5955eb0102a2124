/* Optimal DPOR in C (Abdulla, Aronis, Jonsson, Sagonas, JACM 2017): source sets and wakeup trees, one execution per trace.
 * bpor/search/optimal is the same search in Python: both run the same executions in the same order.
 *
 *     search.c      the stack: the next execution, and what comes of it
 *     node.c        a state on the stack: who sleeps in it, and what still waits there
 *     wakeup.c      wakeup trees: beginnings of executions that are still to be run at a state
 *     races.c       the reversible races of an execution, each with the beginning that reverses it
 *     reach.c       could a thread have run in a state that the execution did not go through?
 *     answers.c     what only an execution can tell, and what executions have told
 *     past.c        the steps of an execution by what they touch
 *     footprints.c  sets of touches, each kept once
 *     crew.c        threads under numbers that equivalent executions share
 *     order.c       which of the beginnings that wait at a state comes next
 *
 * Invariants: those of tree.h; the steps on the history are named by members (crew.c), not by the numbers of the runtime; node k
 * is the state before step k. The history is that of `struct tree`, whose frames are not used. Timeouts of idle states and steps
 * with alternatives are not known here: tree_give_up, and another search takes over. */
#ifndef BPOR_OPTIMAL_H
#define BPOR_OPTIMAL_H
#include "engine/tree.h"

enum {
    MAX_FOOTPRINTS = 1 << 16,
    FOOTPRINT_SLOTS = 1 << 17,
    MAX_FOOTPRINT_TOUCHES = 1 << 20,
    CONFLICT_SLOTS = 1 << 15,
    MAX_BRANCHES = 1 << 19,
    MAX_STRIPS = 1 << 19,
    STRIP_NUMBERS = 26,
    MAX_SLEEPING = 1 << 20,
    ANSWER_SLOTS = 1 << 18, /* a table that is three quarters full is emptied: what was forgotten is asked again */
    MAX_DROPPED = 64,
    MAX_CURSORS = 4096,
    RACES_OF_A_CUT = 500, /* steps whose races are looked at if the execution did not end: nothing complete comes of it */
    NO_INDEX = 0xffffffff
};

/* A step to be made: whose, and what it touches. */
struct item {
    uint8_t thread;
    bool ends;      /* the process: dependent with everything */
    bool foreseen;  /* it sees the past that it saw; else only its operation is known */
    bool open;      /* it is a try that may fail, and then only reads: that is not settled */
    uint32_t index; /* of the step in the execution it comes from; NO_INDEX: it was reversed, or did not run there */
    uint32_t footprint;
    uint32_t spare;
    uint64_t creates;  /* threads */
    uint64_t question; /* which would settle it */
};

/* A step of a wakeup tree; its siblings in the order in which they were found. */
struct branch {
    struct item item;
    uint64_t rank;
    uint32_t children;
    uint32_t next;
    uint32_t strip; /* the schedule of its question ... */
    uint32_t asks;  /* ... and how long it is */
};

struct strip {
    uint16_t number[STRIP_NUMBERS];
    uint32_t next;
};

struct node {
    uint64_t enabled;  /* in numbers of the runtime */
    uint64_t finished; /* threads that ended in the step made here */
    uint32_t waiting;  /* the wakeup tree */
    uint32_t explored; /* the latest first */
    uint32_t chosen;   /* the step being explored; 0: none */
    uint32_t sleeping; /* first of those asleep on arrival */
    uint32_t asleep;   /* how many */
    uint32_t spare;
};

/* A step's touch of a cell, on the list of all touches of the cell and on that of its writes. */
struct visit {
    uint32_t step;
    uint32_t any; /* index + 1 of the one before; likewise the others */
    uint32_t write;
    uint32_t spare;
    uint64_t any_sum; /* of the hashes of those before */
    uint64_t write_sum;
};

struct footprint {
    uint32_t first;
    uint32_t count;
    uint64_t hash;
    uint64_t cells; /* a bit for each that it touches, which other cells have too; likewise ... */
    uint64_t reads; /* ... those that it only reads */
};

struct answer {
    uint64_t key;   /* 0: free */
    uint64_t check; /* of the rest: the table cannot be sealed */
    uint32_t footprint;
    bool enabled;
    bool told; /* what the step does is known, too */
    bool ends;
};

/* The second step of a race, made or still to be made when the execution ended. */
struct second {
    uint32_t index; /* the length of the execution if it was not made */
    uint32_t since; /* the operation is pending from this state on */
    uint8_t thread;
    bool ends;
    uint32_t footprint; /* as decides what it races with */
    uint32_t announced; /* as it was announced */
    const struct announced *operation;
    const clock_vector *clock; /* of what the thread did before */
};

/* Steps that are not made, so that another one comes first. */
struct dropped {
    uint32_t count;
    uint32_t first; /* the least of them */
    uint32_t step[MAX_DROPPED];
};

/* A beginning that reverses a race, at the state before step `index`. */
struct beginning {
    uint32_t index;
    uint32_t count;
    uint32_t last; /* position of the second step */
    const clock_vector *clock;
    const struct dropped *dropped;
    const struct second *second;
    struct item *item;
};

struct question {
    uint64_t key;
    uint32_t count; /* of its schedule, in optimal->asked, behind which the thread stands */
};

struct past_walk {
    const struct optimal *optimal;
    const struct tree *tree;
    uint32_t before;
    bool all;
    bool end; /* the step that ends the process comes first */
    uint32_t cursors;
    uint32_t cursor[MAX_CURSORS]; /* visit + 1, twice, + 1 if only writes are wanted */
};

struct optimal {
    uint32_t order; /* bpor_wakeup_order */
    uint32_t branches;
    uint32_t free_branch;
    uint32_t open; /* branches whose items are */
    uint32_t strips;
    uint32_t free_strip;
    uint32_t nodes;
    uint32_t sleeping_count;
    uint32_t footprints;
    uint32_t footprint_touches;
    uint32_t follows; /* branches of the beginning that the current plan follows ... */
    uint32_t certain; /* ... and of those, how many surely can be */
    uint32_t planned; /* steps on the stack when it was made */
    uint32_t looking; /* the seconds from this one on are still looked at for races; NO_INDEX: none */
    uint32_t look_at; /* steps of the execution that are looked at */
    bool asking;
    uint32_t kin;
    uint32_t first_number; /* of the first thread that a step creates */
    uint32_t created;      /* threads, along the stack */
    uint64_t enrolled;     /* members along the stack ... */
    uint64_t numbers;      /* ... and their numbers */
    uint64_t ranks;
    uint64_t answers;
    uint64_t asleep; /* of the current plan, members that still sleep */
    struct question question;
    uint8_t member[THREADS]; /* by number */
    uint8_t number[THREADS]; /* by member */
    struct {
        uint8_t creator;
        uint32_t child;
    } kin_of[THREADS]; /* by member - first_number */
    struct item plan_sleeper[THREADS];
    struct told_step told; /* in members */
    uint32_t follow[MAX_DEPTH];
    uint16_t asked[MAX_DEPTH + 2];
    uint32_t passed[MAX_DEPTH];
    uint32_t reversed[MAX_DEPTH];
    uint32_t left[MAX_DEPTH + 2];
    struct item sequence[MAX_DEPTH + 2];
    struct past_walk walk[2];
    struct visit visit[MAX_TOUCHES];
    struct head {
        uint32_t any;
        uint32_t write;
        uint64_t any_sum;
        uint64_t write_sum;
    } head[MAX_CELLS];
    uint32_t step_footprint[MAX_DEPTH];
    struct node node[MAX_DEPTH + 1];
    struct item sleeper[MAX_SLEEPING];
    struct branch branch[MAX_BRANCHES];
    struct strip strip[MAX_STRIPS];
    struct footprint footprint[MAX_FOOTPRINTS];
    uint32_t footprint_slot[FOOTPRINT_SLOTS];
    uint32_t footprint_touch[MAX_FOOTPRINT_TOUCHES];
    uint64_t conflict[CONFLICT_SLOTS];
    struct answer answer[ANSWER_SLOTS];
};

/* ---- search.c: what whoever runs the program calls, each as its namesake of the tree ---- */
void optimal_begin(struct optimal *optimal, struct tree *tree, const struct bpor_tree_order *order);
enum next_run optimal_next(struct optimal *optimal, struct tree *tree, struct bpor_tree_facts *facts);
void optimal_plan(const struct optimal *optimal, const struct tree *tree, const struct bpor_tree_facts *facts);
void optimal_start(struct optimal *optimal, struct tree *tree, struct bpor_tree_facts *facts, uint64_t enabled, uint64_t timed);
void optimal_step(struct optimal *optimal, struct tree *tree, struct bpor_tree_facts *facts, const struct told_step *step);
void optimal_state(struct optimal *optimal, struct tree *tree, uint64_t enabled, uint64_t timed);
void optimal_end(struct optimal *optimal, struct tree *tree, struct bpor_tree_facts *facts, bool complete, bool redundant);
/* The execution only answered a question: the thread did a step that touches these; NULL: it could not run. */
void optimal_answer(struct optimal *optimal, struct tree *tree, struct bpor_tree_facts *facts, const struct bpor_access *access,
                    unsigned count, bool ran, bool ends);
/* Who runs next, where nobody runs ahead: a number, or NO_THREAD if all sleep. */
unsigned optimal_choose(const struct optimal *optimal, const struct tree *tree, const struct bpor_tree_facts *facts,
                        uint64_t enabled);

/* ---- node.c ---- */
void node_push(struct optimal *optimal, struct tree *tree, uint64_t enabled);
void node_pop(struct optimal *optimal);
void node_leave(struct optimal *optimal, struct node *node);
uint64_t node_beside(const struct optimal *optimal, const struct node *node, const struct branch *branch, struct item *asleep);
uint64_t still_asleep(struct optimal *optimal, const struct tree *tree, uint64_t mask, const struct item *asleep,
                      const struct item *item);
bool node_covers(struct optimal *optimal, const struct tree *tree, const struct node *node, const struct beginning *beginning);

/* ---- wakeup.c ---- */
uint32_t branch_new(struct optimal *optimal, struct tree *tree, const struct item *item);
void branch_free(struct optimal *optimal, uint32_t number); /* with all below it */
bool item_depends(struct optimal *optimal, const struct tree *tree, const struct item *one, const struct item *other);
bool is_weak_initial(struct optimal *optimal, const struct tree *tree, const struct item *item, const struct beginning *beginning,
                     const uint32_t *left, uint32_t count);
void wakeup_insert(struct optimal *optimal, struct tree *tree, struct node *node, const struct beginning *beginning);
/* What must be settled before the beginning is compared with all that is at the node. `branch`: it is one of the tree's. */
struct item *wakeup_to_settle(struct optimal *optimal, struct tree *tree, struct node *node, struct beginning *beginning,
                              uint32_t *branch);
void item_settle(struct item *item, const struct answer *answer);

/* ---- races.c ---- */
/* Goes on with the races of the last execution. False: a question comes first. */
bool races_reverse(struct optimal *optimal, struct tree *tree);
void races_tell(struct optimal *optimal, struct tree *tree, uint32_t first);
struct second second_at(struct optimal *optimal, struct tree *tree, uint32_t index);
bool is_kept(const struct tree *tree, uint32_t each, const struct dropped *dropped);

/* ---- reach.c ---- */
enum reach { WAITS, RUNS, ONLY_AN_EXECUTION_TELLS };
enum reach could_run(struct optimal *optimal, const struct tree *tree, const struct second *second,
                     const struct dropped *dropped);
bool may_touch_less(const struct tree *tree, const struct announced *operation);
bool is_asked_about(const struct tree *tree, const struct announced *operation);
bool gives_back(unsigned kind);

/* ---- answers.c ---- */
uint64_t question_key(struct optimal *optimal, const struct tree *tree, const struct second *second,
                      const struct dropped *dropped);
void question_schedule(struct optimal *optimal, const struct tree *tree, const struct second *second,
                       const struct dropped *dropped);
struct answer *answer_find(struct optimal *optimal, uint64_t key); /* NULL: not known */
void answer_enter(struct optimal *optimal, const struct answer *answer);

/* ---- past.c ---- */
void past_push(struct optimal *optimal, const struct tree *tree);
void past_pop(struct optimal *optimal, const struct tree *tree);
/* The steps before one index that an operation depends on which touches these; or ends the process. The latest first. */
void past_walk(struct optimal *optimal, struct tree *tree, struct past_walk *walk, uint32_t footprint, bool ends,
               uint32_t before);
uint32_t past_next(struct past_walk *walk); /* NO_INDEX: no more */
uint64_t past_threads(const struct optimal *optimal, const struct tree *tree, uint32_t footprint, bool ends);

/* ---- footprints.c ---- */
uint32_t footprint_of(struct optimal *optimal, struct tree *tree, const uint32_t *touch, uint32_t count);
enum { ONE_READS = 1, OTHER_READS = 2 };
bool footprints_conflict(struct optimal *optimal, const struct tree *tree, uint32_t one, uint32_t other, unsigned reads);

/* ---- crew.c ---- */
void crew_begin(struct optimal *optimal, const struct tree *tree);
const struct told_step *crew_translate(struct optimal *optimal, struct tree *tree, const struct told_step *step);
void crew_pop(struct optimal *optimal, uint64_t created);
/* The numbers that threads will have after the first `index` steps on the stack and steps that are not made yet. */
struct numbering {
    uint8_t number[THREADS];
    uint64_t enrolled;
    uint32_t created;
};
void numbering_begin(const struct optimal *optimal, const struct tree *tree, struct numbering *numbering, uint32_t index);
unsigned numbering_take(const struct optimal *optimal, struct numbering *numbering, unsigned member, uint64_t creates);

/* ---- order.c ---- */
uint32_t order_pick(struct optimal *optimal, const struct tree *tree, uint32_t siblings, unsigned last);
#endif
