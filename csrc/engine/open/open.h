/* Best-first search (GAMBIT: Coons, Burckhardt, Musuvathi, PPoPP 2010; Coons 2013, chapter 3): the tree of tree.h, whose open
 * choices lie in a fringe and are taken in an order of the user's choosing. bpor/search/best_first is the same search in Python:
 * both run the same executions in the same order.
 *
 *     search.c  the next execution: the best choice, and the way to the state where it is open
 *     nodes.c   the states that are kept, each with the step that led to it
 *     strips.c  steps as words
 *     fringe.c  the open choices, a heap
 *     rank.c    what makes one better than another
 *     names.c   what of the program has the names that the user gave
 *
 * What is explored is decided as in depth-first search; only the order is another. Two things make any order complete: a thread
 * sleeps for its siblings as soon as its first execution is known (what is below it is explored, or will be), and where the
 * thread that ran last is taken it finds none of its siblings asleep (erratum E26).
 *
 * Invariants: those of tree.h; `way` are the nodes of the frames on the stack, whose sets the frames have. A node off the way is
 * never changed: it has a checksum, and something is open at it or below it. So a node, or a choice, that a program wrote over
 * is noticed when it is needed, or at the end, when none may be left. Included by tree.h, which embeds it. */
#ifndef BPOR_OPEN_H
#define BPOR_OPEN_H
#include "engine/told.h"
#include "protocol/protocol.h"
#include <stdbool.h>
#include <stdint.h>

struct tree;
struct frame;
struct known;

enum {
    MAX_OPEN_NODES = 1 << 18,
    MAX_OPEN_STRIPS = 1 << 20,
    STRIP_WORDS = 15,
    MAX_OPEN_CHOICES = 1 << 20, /* those that were ranked again count twice */
    MAX_FOUND = 1 << 16,        /* by one execution */
    NAME_SLOTS = 1 << 16
};

/* A state off the way: what only the past knows of its frame. */
struct open_node {
    uint32_t parent;     /* index; 0: it is the first state, or free */
    uint32_t children;   /* how many nodes have it as their parent */
    uint32_t generation; /* of those who had this place */
    uint32_t depth;
    uint32_t strip; /* the step that led here */
    uint32_t watches;
    uint8_t thread; /* of that step */
    bool exceeded;
    bool refused;
    bool used;
    uint64_t timed;
    uint64_t enabled;
    uint64_t backtrack;
    uint64_t conservative;
    uint64_t done;
    uint64_t asleep;
    uint64_t whole;
    uint64_t raced;
    uint64_t ranked;   /* of them, those whose choices were ranked since */
    uint64_t open;     /* threads in the fringe */
    uint64_t tried;    /* threads that ran here */
    uint64_t sleeping; /* by plain sleep sets they would only repeat what was begun elsewhere */
    uint64_t schedule; /* hash of the threads that led here */
    uint64_t check;    /* of all that and its step, while it is off the way */
};

struct open_strip {
    uint64_t word[STRIP_WORDS];
    uint32_t next;
    uint32_t spare;
};

struct open_choice {
    uint64_t rank; /* the least comes first; then the newest */
    uint64_t serial;
    uint32_t node;
    uint32_t generation;
    uint32_t thread;
    uint32_t spare;
};

/* An object, or a call stack by the hash of its return addresses: which of the names that the user gave does it have? */
struct open_name {
    uint64_t id;
    uint32_t kind;  /* bpor_named; 0: free */
    uint32_t marks; /* bit k: it is what the k-th priority looks for */
    bool told;
};

struct open {
    bool unsettled; /* points may have been added to the frames on the stack since the fringe was filled */
    uint32_t nodes; /* used so far ... */
    uint32_t alive; /* ... and now */
    uint32_t most;
    uint32_t free_node;
    uint32_t strips;
    uint32_t strips_alive;
    uint32_t free_strip;
    uint32_t choices;
    uint32_t names;
    uint64_t serial;
    uint32_t way[BPOR_TREE_DEPTH + 1];
    uint32_t going[BPOR_TREE_DEPTH + 1];
    uint32_t pending[BPOR_TREE_THREADS]; /* operations, in the state that is being looked at */
    struct told_step told;               /* the step that is put back, and its accesses */
    struct bpor_access pool[(BPOR_TREE_THREADS + 2) * BPOR_MAX_ACCESSES];
    struct open_choice found[MAX_FOUND];
    struct open_choice choice[MAX_OPEN_CHOICES];
    struct open_name name[NAME_SLOTS];
    struct open_node node[MAX_OPEN_NODES];
    struct open_strip strip[MAX_OPEN_STRIPS];
};

/* ---- search.c: what tree.c and walk.c call ---- */
void open_begin(struct tree *tree);
/* The step that was told led to the frame at the top of the stack, which nobody has seen before; NULL: it is the first. */
void open_arrive(struct tree *tree, const struct told_step *step);
/* What it takes so far. */
void open_tell(const struct tree *tree, struct bpor_tree_facts *facts);
/* ... and is taken off the stack as if it had never been there. */
void open_undo(struct tree *tree);

/* ---- nodes.c ---- */
uint32_t open_node_new(struct tree *tree, uint32_t parent);
void open_node_free(struct tree *tree, uint32_t number);
void open_node_keep(struct tree *tree, uint32_t number, const struct frame *frame);
bool open_node_is_intact(const struct tree *tree, uint32_t number);
uint64_t open_watches_check(const struct tree *tree, uint32_t first); /* of a list of them */

/* ---- strips.c ---- */
uint32_t strip_put(struct tree *tree, const struct told_step *step);
void strip_take(struct open *open, uint32_t number, struct told_step *step);
void strip_free(struct open *open, uint32_t number);
uint64_t strip_check(const struct open *open, uint32_t number);

/* ---- fringe.c ---- */
void fringe_add(struct tree *tree, const struct open_choice *choice);
bool fringe_take(struct open *open, struct open_choice *choice); /* false: there is none */

/* ---- rank.c ---- */
uint64_t rank_of(const struct tree *tree, const struct frame *frame, const struct open_node *node, unsigned thread);

/* ---- names.c ---- */
/* Is everything named that the operations on the stack touch, or were called from? What is not is noted. */
bool names_are_known(struct tree *tree);
bool names_operation(const struct tree *tree, uint32_t operation, unsigned priority);
/* The next one that nobody has named yet; NULL: there is none. `cursor` is 0 at first. */
const struct open_name *open_unnamed(const struct tree *tree, uint32_t *cursor);
void open_tell_name(struct tree *tree, uint32_t kind, uint64_t id, uint32_t marks);
bool open_has_name(const struct tree *tree, uint32_t kind, uint64_t id);
#endif
