/* Cartesian partial-order reduction (Gueta, Flanagan, Yahav, Sagiv, SPIN 2007): a stateful search that runs each thread alone, as
 * far as nobody else can notice, and looks at other orders only where the last operations of two such runs conflict. It reaches
 * every local state and every deadlock, not every trace. bpor/search/cartesian/states.py is the same search in Python, and says
 * what is an execution of it; erratum E17 says what it adds to the published one.
 *
 *     search.c   the next execution: one thread alone, from a state that is not covered
 *     solo.c     what a thread did alone
 *     vector.c   how far each thread may go
 *     waiting.c  states that were reached and not looked at, and those that are covered
 *     share.c    which of several processes looks at a state
 *
 * A state is known by the sum of the hashes of the steps that led to it, and by its identity where the runtime tells one.
 *
 * Invariants: those of tree.h, but that the history may end before the state in whose midst the search is: the next execution
 * tells the rest of `path`. Included by tree.h, which embeds it. */
#ifndef BPOR_CARTESIAN_H
#define BPOR_CARTESIAN_H
#include "engine/identity.h"
#include "engine/told.h"
#include "protocol/protocol.h"
#include <stdbool.h>
#include <stdint.h>

struct tree;

enum {
    MAX_MOVES = 1 << 20, /* of all threads, alone, from one state */
    MAX_MOVE_TOUCHES = 1 << 22,
    MAX_COVERED = 1 << 22,
    FIRST_COVERED_SLOTS = 1 << 12, /* as many as are cleared when a search begins */
    COVERED_SLOTS = MAX_COVERED * 4,
    MAX_WAITING = 1 << 20,
    MAX_WAITING_CHOICES = 1 << 26,
    CARTESIAN_CELLS = 1 << 15,
    COME_THROUGH_SLOTS = 1 << 16
};

enum cartesian_task {
    TASK_LOOK,   /* who is enabled in a state? */
    TASK_ALONE,  /* what does a thread do alone? */
    TASK_ENDLESS /* an execution up to the step limit, in a state that nobody can leave */
};

enum cartesian_halt {
    HALT_NONE,
    HALT_WAITS,
    HALT_ENDED,
    HALT_CIRCLE, /* it comes back to a state it was in: it can run for ever */
    HALT_CUT,    /* by the step limit */
    HALT_OVER    /* it ended the process */
};

/* A step of a thread that runs alone, and the state it led to. */
struct cartesian_move {
    uint32_t first; /* of its touches */
    uint32_t touches;
    uint8_t joins; /* a thread + 1 whose end it waited for */
    uint8_t over;  /* a thread + 1 whose end it is */
    bool ends;     /* the process */
    bool creates;  /* a thread: nobody may look beyond, for that one may run from there on */
    uint32_t spare;
    uint64_t hash;
    uint64_t enabled;
    struct identity identity;
};

struct cartesian_solo {
    uint32_t first;
    uint32_t moves;
    uint32_t halt;
    uint32_t spare;
    struct cartesian_move wanted; /* what it waits for */
};

/* How far a thread may go. */
struct cartesian_prefix {
    uint32_t length;
    bool infinite; /* nothing stops it: it ends, or goes round for ever, without anybody noticing */
    bool ended;
};

struct cartesian_waiting {
    uint64_t hash;
    uint64_t enabled;
    struct identity identity;
    uint32_t first; /* of the choices that lead to it */
    uint32_t length;
    bool looked;    /* who is enabled is known */
    uint64_t check; /* of all that and of those below: the stack is too large to be sealed */
};

struct cartesian {
    struct identity told; /* of the state that is told next ... */
    struct identity last; /* ... and of the last one that was */
    struct identity here; /* of the state that is looked at */
    uint64_t hash;        /* likewise */
    uint64_t left;        /* threads still to be run alone from it */
    uint64_t states;      /* covered */
    uint64_t run;
    uint64_t top_check; /* of the stack of those that wait */
    uint32_t task;
    uint32_t thread;
    uint32_t reach; /* steps of the run */
    uint32_t depth; /* of the state */
    uint32_t waiting;
    uint32_t moves;
    uint32_t touches;
    uint32_t covered;
    uint32_t slots;   /* in use: a power of two, at least twice as many as are covered */
    uint32_t worker;  /* of those that share the states ... */
    uint32_t workers; /* ... so many; 0: one */
    uint32_t sent;    /* words for the others ... */
    uint64_t sent_check;
    bool learned;       /* an execution, of which nothing came yet */
    bool knows_state;   /* there is one whose threads are run alone */
    bool identified;    /* states have identities */
    bool circles;       /* the run came back to a state */
    bool astray;        /* the run left its thread: what follows is nobody's */
    bool endless_shown; /* by one execution that is cut */
    struct cartesian_solo solo[BPOR_TREE_THREADS];
    struct cartesian_prefix prefix[BPOR_TREE_THREADS];
    uint16_t path[BPOR_TREE_DEPTH + 1];
    struct cartesian_move move[MAX_MOVES];
    uint32_t touch[MAX_MOVE_TOUCHES];
    uint64_t midst_any[CARTESIAN_CELLS]; /* threads that touch a cell in the midst of their prefixes */
    uint64_t midst_write[CARTESIAN_CELLS];
    struct {
        struct identity state;
        uint64_t run;
    } come_through[COME_THROUGH_SLOTS];
    struct identity state[MAX_COVERED + 1]; /* covered, from 1 on */
    uint32_t slot[COVERED_SLOTS];
    struct cartesian_waiting wait[MAX_WAITING];
    uint16_t choice[MAX_WAITING_CHOICES];
    uint64_t sent_word[BPOR_HANDED_WORDS];
};

/* ---- search.c: what tree.c calls, and whoever runs the program ---- */
void cartesian_begin(struct tree *tree);
void cartesian_plan(const struct tree *tree, const struct bpor_tree_facts *facts);
/* The step that was told led to the frame at the top of the stack; NULL: it is the first. True: the thread goes round. */
bool cartesian_arrive(struct tree *tree, const struct told_step *step);
void cartesian_end(struct tree *tree);
/* As which the last execution counts. */
unsigned cartesian_outcome(const struct tree *tree, unsigned how);
/* Who goes on at the top of the stack, where nobody runs ahead: a thread, or NO_THREAD. */
unsigned cartesian_choose(const struct tree *tree, uint64_t enabled);
uint32_t cartesian_most_steps(const struct tree *tree);
void cartesian_tell(struct tree *tree, struct bpor_tree_facts *facts);

/* ---- solo.c ---- */
bool solo_step(struct tree *tree, const struct told_step *step);
void solo_forget(struct tree *tree, unsigned thread);
/* The run is over, and its steps are on the history. False: it was cut too early. */
bool solo_end(struct tree *tree, unsigned thread);
void solo_wait(struct tree *tree, unsigned thread);        /* at the top of the history */
bool solo_meets(struct tree *tree, struct identity state); /* again, in this run */

/* ---- vector.c ---- */
void cartesian_vector(struct tree *tree, uint64_t threads);

/* ---- share.c ---- */
/* Who shares the states from now on, and what the others have sent. */
void share_begin(struct tree *tree, struct bpor_tree_facts *facts, struct bpor_order *order);
/* Tells the others what is covered. */
void share_covered(struct cartesian *cartesian, struct identity state);
/* Gives away a state that is another's; the way to it is `path`. False: it is ours, or there is no room. */
bool share_send(struct tree *tree, const struct cartesian_waiting *state);
/* Copies what was sent to where the controller finds it. */
void share_tell(struct tree *tree, struct bpor_tree_facts *facts);

/* ---- waiting.c ---- */
uint16_t *waiting_room(struct tree *tree, uint32_t length); /* for so many choices; NULL: there is none */
/* A state with the way that stands in this room. */
void waiting_add(struct tree *tree, const struct cartesian_waiting *state);
void waiting_push(struct tree *tree, const struct cartesian_waiting *state, uint64_t threads);
bool waiting_pop(struct tree *tree, struct cartesian_waiting *state); /* into `path` */
void covered_clear(struct tree *tree);
bool covered_has(const struct tree *tree, struct identity state);
void covered_add(struct tree *tree, struct identity state);
struct identity identity_of_hash(uint64_t hash);
#endif
