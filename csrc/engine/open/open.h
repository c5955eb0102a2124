/* Best-first search (GAMBIT: Coons, Burckhardt, Musuvathi, PPoPP 2010; Coons 2013, chapter 3): the tree of tree.h, whose open
 * choices lie in a fringe and are taken in an order of the user's choosing. bpor/search/best_first is the same search in Python:
 * both run the same executions in the same order.
 *
 *     search.c  the next execution: the best choice, and the way to the state where it is open
 *     nodes.c   the states that are kept, each with the step that led to it
 *     strips.c  steps as words
 *     fringe.c  the open choices, a heap
 *     cold.c    what goes to disk when there are too many: subtrees whose choices come late
 *     pack.c    ... each of them as bytes, and back
 *     shelf.c   ... and where it lies in the file
 *     rank.c    what makes one better than another
 *     names.c   what of the program has the names that the user gave
 *
 * What is explored is decided as in depth-first search; only the order is another. Two things make any order complete: a thread
 * sleeps for its siblings as soon as its first execution is known (what is below it is explored, or will be), and where the
 * thread that ran last is taken it finds none of its siblings asleep (erratum E26).
 *
 * Invariants: those of tree.h; `way` are the nodes of the frames on the stack, whose sets the frames have. A node off the way is
 * never changed: it has a checksum, and something is open at it or below it. So a node, or a choice, that a program wrote over
 * is noticed when it is needed, or at the end, when none may be left. So it can also lie on disk meanwhile. Included by tree.h,
 * which embeds it. */
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
    MAX_ROOM = MAX_OPEN_NODES / 4 * 3,
    LEAST_ROOM = 16,
    PER_NODE = 4,  /* pieces of steps, and choices, that a state may have, on the average */
    BUNDLE = 0xff, /* thread of a choice that stands for a bundle: a subtree that lies on disk */
    SHELF_BYTES = 1 << 26,
    SHELF_GRAIN = 64,
    MAX_SHEAVES = 1 << 16,
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
    uint32_t thread; /* BUNDLE: it stands for all choices of one, and is the best of them; + its length in grains << 8 ... */
    uint32_t grain;  /* ... from this one of the file on */
};

/* What was written at once: its room in the file is given back when all of it has come back. */
struct open_sheaf {
    uint32_t grain;
    uint32_t grains;
    uint32_t bundles; /* that are still there */
};

/* The file, as far as memory knows it. Whoever runs the search does what it asks for, and answers. */
struct open_shelf {
    uint32_t request; /* bpor_shelf_request, of the bytes of the page at this place of the file */
    uint32_t bundles; /* there are in the file ... */
    uint64_t states;  /* ... with so many states */
    uint64_t offset;  /* bytes [offset, offset + bytes) of the file: what is asked for, or what the page holds */
    uint64_t bytes;
    uint32_t end; /* of the file, in grains */
    uint32_t sheaves;
    uint64_t written;       /* states, altogether; ... */
    uint64_t written_bytes; /* ... what they took in the file, ... */
    uint64_t plain_bytes;   /* ... and in memory */
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
    uint32_t crowded_at; /* states that are too many to be kept in memory */
    uint64_t serial;
    struct open_shelf shelf;
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
    struct open_sheaf sheaf[MAX_SHEAVES];
    struct cold {
        bool stays[MAX_OPEN_NODES];
        uint32_t inside[MAX_OPEN_NODES];       /* children in memory that were not counted yet; then its number in the bundle */
        uint32_t size[MAX_OPEN_NODES];         /* states below it that go, and itself */
        uint32_t bundle[MAX_OPEN_NODES];       /* the first state of its bundle; 0: it stays */
        uint32_t order[MAX_OPEN_NODES];        /* children before their parents */
        uint32_t next[MAX_OPEN_NODES];         /* of its bundle */
        uint32_t last[MAX_OPEN_NODES];         /* of the bundle that begins here */
        uint32_t first_choice[MAX_OPEN_NODES]; /* likewise, number + 1, the best one */
        uint32_t last_choice[MAX_OPEN_NODES];
        uint32_t next_choice[MAX_OPEN_CHOICES];
        struct open_choice stands[MAX_OPEN_NODES]; /* for the bundles */
    } cold;                                        /* while it is decided what goes */
    uint8_t page[SHELF_BYTES];
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
void open_node_seal(struct tree *tree, uint32_t number);
bool open_node_is_intact(const struct tree *tree, uint32_t number);
uint64_t open_watches_check(const struct tree *tree, uint32_t first); /* of a list of them */

/* ---- strips.c ---- */
uint32_t strip_put(struct tree *tree, const struct told_step *step);
void strip_take(struct open *open, uint32_t number, struct told_step *step);
void strip_free(struct open *open, uint32_t number);
uint64_t strip_check(const struct open *open, uint32_t number);
uint32_t strip_pieces(const struct open *open, uint32_t number);
/* Its words, one by one: how many there are, and each of them in turn. */
struct strip_cursor {
    uint32_t piece;
    uint32_t count;
    uint32_t left;
};
struct strip_cursor strip_begin(const struct open *open, uint32_t number);
uint64_t strip_next(const struct open *open, struct strip_cursor *cursor);
uint32_t strip_of_words(struct tree *tree, uint64_t (*next)(void *source), void *source, uint32_t count);

/* ---- fringe.c ---- */
void fringe_add(struct tree *tree, const struct open_choice *choice);
bool fringe_take(struct open *open, struct open_choice *choice); /* false: there is none */
void fringe_sort(struct tree *tree);                             /* the best first; those that are open no more are left out */
bool fringe_is_open(const struct open *open, const struct open_choice *choice);

/* ---- cold.c ---- */
uint32_t cold_room(const struct tree *tree); /* for states in memory */
bool cold_is_crowded(const struct open *open);
void cold_put_away(struct tree *tree); /* the shelf may ask for something then */

/* ---- pack.c ---- */
/* The bundle that begins with a state, behind what the page has; false: it is full. */
bool pack_bundle(struct tree *tree, uint32_t first, uint64_t *end);
bool unpack_bundle(struct tree *tree, const struct open_choice *bundle, const uint8_t *bytes, uint64_t count);

/* ---- shelf.c ---- */
static inline bool is_bundle(const struct open_choice *choice)
{
    return (choice->thread & 0xff) == BUNDLE;
}
void shelf_write(struct tree *tree, uint64_t bytes, uint32_t bundles);
/* Its choices are in the fringe again; false: it has to be read first. */
bool shelf_take(struct tree *tree, const struct open_choice *bundle);
/* What was asked for is done. */
void open_shelf_answered(struct tree *tree);

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
