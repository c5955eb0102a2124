/* The depth-first tree in C. bpor/search/engine is the same search in Python: both run the same executions in the same order.
 *
 * Invariants: nothing but indices crosses from one execution to the next, never a pointer, so that another process can go on;
 * every table is a stack, a pool with a free list, or grows with the objects of the program; between executions the stack
 * describes exactly the steps chosen so far. Sets of threads are masks: bit t = thread t. */
#ifndef BPOR_TREE_H
#define BPOR_TREE_H
#include "engine/cartesian/cartesian.h"
#include "engine/graphs/graphs.h"
#include "engine/matching.h"
#include "engine/open/open.h"
#include "engine/told.h"
#include "protocol/operations.h"
#include "protocol/protocol.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    THREADS = BPOR_TREE_THREADS,
    MAX_DEPTH = BPOR_TREE_DEPTH,
    MAX_CELLS = 1 << 15,
    CELL_SLOTS = MAX_CELLS * 2,
    MAX_NEAR = 1 << 17,
    MAX_OPERATIONS = MAX_DEPTH * 2,
    MAX_TOUCHES = MAX_DEPTH * 8,
    MAX_SAVED_CELLS = MAX_DEPTH * 4,
    MAX_SAVED_CLOCKS = MAX_DEPTH / 2,
    MAX_SLEEPERS = MAX_DEPTH * 4,
    MAX_WATCHES = MAX_DEPTH * 2,
    MAX_CHUNKS = MAX_DEPTH * 4,
    CHUNK_TOUCHES = 14,
    LARGEST_WATCH = 4096, /* objects; a larger one is not used, in any engine */
    NO_THREAD = 0xff,
    WATCH_NONE = 0,
    WATCH_STEP = 0xffffffff, /* just what the step of this frame touched */
    WATCH_NEVER = 0xfffffffe /* of `kept`: an alternative that was taken must not sleep */
};

struct known; /* known.h */

enum next_run {
    NOTHING_LEFT,
    EXECUTE,   /* what was chosen */
    PAUSE,     /* many runs needed no execution: ask again */
    ASK_NAMES, /* best-first search: names have to be told first */
    ASK_SHELF, /* likewise: something has to be written to its file, or read */
    LEFT_BOUND /* a part of a tree that leads found a trace outside of the bound: the whole tree begins anew, within it */
};

typedef struct clock {
    uint32_t steps[THREADS]; /* zero from `width` on */
} clock_vector;

/* A mutex, as far as the history shows. */
struct holding {
    uint64_t changed; /* the last step that changed it otherwise than by locking and unlocking */
    uint32_t holds;   /* how often ... */
    uint32_t holder;  /* ... this thread + 1 has it; 0: nobody */
};

/* A byte range, and who touched it along the stack. Indices are + 1: 0 is "never". */
struct cell {
    uint64_t object;
    uint32_t size;
    uint32_t near;    /* list of the others that overlap it */
    uint64_t writers; /* masks of writer[], reader[] */
    uint64_t readers;
    uint64_t pending_access; /* threads whose pending operation touches it */
    uint64_t pending_write;
    uint32_t last_write;
    bool has_reads; /* since the last write */
    uint64_t write_hash;
    uint64_t reads_hash;
    bool is_lock;
    struct holding holding;
    uint64_t block; /* the last block whose watch names it ... */
    uint32_t place; /* ... and where */
    uint32_t writer[THREADS];
    uint32_t reader[THREADS];
    uint32_t held[THREADS]; /* step that took the lock */
    clock_vector reads_clock;
};

/* What a thread will do next. Its touches: cell * 2 + write. */
struct announced {
    uint8_t kind;
    uint8_t order; /* of an atomic access */
    bool timed;    /* it may end by a timeout, in an idle state */
    uint16_t target;
    uint32_t first;
    uint32_t count;
    uint64_t site;
    uint64_t stack;
};

/* One thread at the top of the stack. */
struct actor {
    bool exists;
    uint32_t operation; /* index + 1; 0: ended */
    uint32_t last;      /* index + 1 of its last step */
    uint32_t created;   /* index + 1 of the step that created it; 0: there from the start */
    uint32_t steps;
    uint32_t children;
    uint32_t yields;
    bool circles; /* its last yield was where it had been before */
    uint64_t name;
};

/* A step on the stack, and what popping it puts back. */
struct pushed {
    uint8_t thread;
    bool yields;
    bool inferred; /* ... which the program does not say */
    bool cuts;     /* leaving its thread after it costs nothing */
    bool timed_out;
    bool failed;
    bool ends;           /* the process */
    bool circled_before; /* what its thread did before it */
    uint32_t local;      /* its number among the steps of its thread, from 1 */
    uint32_t first_touch;
    uint32_t touches;
    uint32_t acquisition; /* index + 1 of the step that had taken the lock this one gives back */
    uint32_t switches;    /* local bounds: bpor/search/bounds/causal.py */
    uint32_t preemptions;
    uint32_t since; /* its thread was able to go on, and did not yield, since this step of its own */
    bool beyond;    /* a local bound */
    uint32_t last_before;
    uint32_t children_before;
    uint32_t operation_before;
    uint32_t operations_before; /* heights of the stacks */
    uint32_t touches_before;
    uint32_t saved_before;
    uint32_t clocks_before;
    uint64_t created;    /* mask */
    uint64_t hash;       /* of its causal past and itself */
    uint64_t trace_hash; /* sum over the steps up to it */
    uint64_t step_hash;  /* as the runtime computed it */
};

struct saved_cell {
    uint32_t cell;
    bool write;
    bool has_reads;
    uint32_t index_before;
    uint32_t last_write;
    uint32_t held;
    uint32_t clock; /* index + 1 of the saved join of its reads */
    struct holding holding;
    uint64_t write_hash;
    uint64_t reads_hash;
};

struct sleeping {
    uint32_t thread;
    uint32_t watch;
};

struct watch {
    uint32_t chunk; /* first */
    uint32_t last_chunk;
    uint32_t count;
    uint32_t next; /* of the frame's list, or of the free ones */
    uint32_t thread;
    bool open;
    bool dead;
    uint64_t any; /* signatures: bit (cell % 64) */
    uint64_t written;
};

struct chunk {
    uint32_t touch[CHUNK_TOUCHES];
    uint32_t count;
    uint32_t next;
};

/* One state on the stack: bpor/search/engine/frame.py says what each field means. */
struct frame {
    uint64_t enabled;
    uint64_t timed;
    uint64_t fair_blocked;
    uint64_t backtrack;
    uint64_t conservative;
    uint64_t done;
    uint64_t asleep;
    uint64_t whole;
    uint64_t releasers;
    uint64_t raced; /* threads that a race asks for here, whatever else is tried: best-first search looks at it */
    uint64_t runs_before;
    uint64_t sizes; /* of the branches tried, once there were two: how many, ... */
    uint64_t sizes_sum;
    uint64_t sizes_least;
    uint64_t sizes_most;
    uint32_t cost;
    uint32_t block;
    uint32_t sleepers; /* first of them; as many as bits in `asleep` */
    uint32_t watches;  /* list of those who may sleep from now on */
    uint32_t watch;    /* of `chosen` */
    uint32_t kept;     /* of it too, by the alternatives that it took before */
    uint32_t stale;
    uint8_t last;
    uint8_t chosen;
    uint8_t alternative;
    uint8_t alternatives;
    bool free;
    bool exceeded;
    bool refused;
    bool partial;
    bool step_sleeps; /* the step of `chosen` may, if it is whole */
    bool cyclic;      /* the state is on a cycle, where nobody sleeps */
};

struct tree {
    struct bpor_tree_order order;
    bool reduces;
    bool sleeps;
    bool watches_blocks;
    bool watches_waits;
    bool wakes_next;
    bool knows_whole;
    bool causal; /* there is a local bound */
    bool releases_sleep;
    bool jumps;            /* release optimisation */
    bool best_first;       /* open choices are taken in an order of the user's: see open/open.h */
    bool by_cartesian;     /* threads are run alone, from states that are recognised: see cartesian/cartesian.h */
    bool by_graphs;        /* states are happens-before graphs, each run once: see graphs/graphs.h */
    bool matches;          /* states are recognised: see matching.h */
    bool recognised;       /* the top of the stack was: its future is known */
    bool knows;            /* a table of known steps is kept: see known.h */
    bool leads;            /* the bound is ignored while every trace lies within it ... */
    uint32_t leads_within; /* ... as far as preemptions go: see least.h */
    bool led;              /* ... and that is over: one does not, or it does not help */
    bool outside;          /* the trace of the last execution lies outside of the bound */
    uint32_t root;         /* frames at the bottom that belong to somebody else: see below.c */
    uint64_t given;        /* mask of those who sleep where this subtree begins */
    uint32_t depth;        /* steps on the stack */
    uint32_t frames;       /* depth + 1 once begun; 0 when finished */
    uint32_t width;        /* threads that ever existed on this stack */
    uint64_t live;         /* masks of pending operations */
    bool sleeps_beside_timed;
    uint64_t enders;
    uint64_t waits_timed; /* those who may end by a timeout */
    uint64_t racing;      /* whose pending operations depend on the step that was put on the history last */
    uint64_t existing;
    uint64_t block; /* number of the open block; 0: none */
    uint64_t blocks;
    uint32_t block_watch;
    uint32_t operations;
    uint32_t touches;
    uint32_t saved_cells;
    uint32_t saved_clocks;
    uint32_t sleepers;
    uint32_t watches;
    uint32_t free_watch;
    uint32_t chunks;
    uint32_t free_chunk;
    uint32_t cells;
    uint32_t nears;
    uint32_t widest;
    bool full;  /* a table is: `why` says which */
    bool wrong; /* our own fault: likewise */
    char why[120];
    struct actor actor[THREADS];
    uint32_t cell_slot[CELL_SLOTS]; /* by range, index + 1 */
    uint32_t cell_order[MAX_CELLS]; /* sorted by (object, size) */
    struct near {
        uint32_t cell;
        uint32_t next;
    } near[MAX_NEAR];
    struct cell cell[MAX_CELLS];
    struct announced operation[MAX_OPERATIONS];
    uint32_t touch[MAX_TOUCHES];
    struct saved_cell saved_cell[MAX_SAVED_CELLS];
    clock_vector saved_clock[MAX_SAVED_CLOCKS];
    struct sleeping sleeper[MAX_SLEEPERS];
    struct watch watch[MAX_WATCHES];
    struct chunk chunk[MAX_CHUNKS];
    struct pushed step[MAX_DEPTH];
    clock_vector clock[MAX_DEPTH];
    struct frame frame[MAX_DEPTH + 1];
    struct bpor_wanted wanted[MAX_DEPTH];
    union { /* one at a time */
        struct matching matching;
        struct open open;
        struct graphs graphs;
        struct cartesian cartesian;
    };
};

static inline uint64_t bit(unsigned thread)
{
    return 1ull << thread;
}

static inline unsigned lowest(uint64_t mask)
{
    return (unsigned)__builtin_ctzll(mask);
}

#define EACH_THREAD(thread, mask)                                                                                                \
    for (uint64_t left_##thread = (mask); left_##thread; left_##thread &= left_##thread - 1)                                     \
        for (unsigned once_##thread = 1, thread = lowest(left_##thread); once_##thread; once_##thread = 0)

static inline unsigned touched_cell(uint32_t touch)
{
    return touch >> 1;
}

static inline bool writes(uint32_t touch)
{
    return touch & 1;
}

/* A table is full: nothing is claimed from here on, and the controller's own search takes over. */
void tree_give_up(struct tree *tree, const char *what);
/* Something happened that cannot: the search stops, and says where. */
void tree_fail(struct tree *tree, const char *what);

/* cells.c */
unsigned cells_resolve(struct tree *tree, const struct bpor_access *access, unsigned count, uint32_t *first);
static inline uint32_t cell_next_near(const struct tree *tree, uint32_t *cursor)
{
    uint32_t cell = tree->near[*cursor].cell;
    *cursor = tree->near[*cursor].next;
    return cell;
}

/* Runs its body for `cell` and for every other cell that overlaps it. */
#define EACH_NEAR(tree, base, name)                                                                                              \
    for (uint32_t cursor_##name = (tree)->cell[base].near, more_##name = 1, name = (base); more_##name;                          \
         more_##name = cursor_##name != 0, name = more_##name ? cell_next_near(tree, &cursor_##name) : 0)

/* actors.c */
void history_begin(struct tree *tree, const struct told_operation *operation);
const struct announced *history_operation(const struct tree *tree, unsigned thread);
void actor_publish(struct tree *tree, unsigned thread, uint32_t number);
void actor_retract(struct tree *tree, unsigned thread);
void actor_announce(struct tree *tree, const struct told_operation *told);
void actor_create_by(struct tree *tree, struct pushed *step, unsigned thread);

/* history.c */
void history_clock(const struct tree *tree, unsigned thread, const uint32_t *touches, uint32_t count, bool reads, bool ends,
                   const struct actor *target, clock_vector *clock);
uint64_t history_push(struct tree *tree, const struct told_step *step);
void history_pop(struct tree *tree);
uint64_t history_key(const struct tree *tree, unsigned thread, bool looks);
uint64_t actor_hash(const struct tree *tree, const struct actor *actor);

/* races.c: what race detection asks of the history */
bool clock_knows(const struct tree *tree, const clock_vector *clock, uint32_t index);
unsigned history_dependents(const struct tree *tree, unsigned thread, const uint32_t *touch, uint32_t count, bool ends,
                            uint32_t *found);
unsigned history_last_dependents(const struct tree *tree, unsigned thread, uint32_t *found);
unsigned history_last_of_others(const struct tree *tree, unsigned thread, uint32_t *found);
unsigned history_uncovered(const struct tree *tree, unsigned thread, uint32_t *found, unsigned count);
uint64_t history_joining(const struct tree *tree, uint64_t ended);
const clock_vector *actor_clock(const struct tree *tree, const struct actor *actor);

/* locks.c */
void locks_push(struct tree *tree, uint32_t index, unsigned kind, struct saved_cell *saved);
void locks_announce(struct tree *tree, const struct announced *operation);
void locks_note(struct tree *tree, const struct pushed *step, unsigned kind);
void locks_follow(const struct tree *tree, const struct pushed *step, uint32_t which, unsigned kind, struct holding *holding);
bool locks_waits_for(const struct tree *tree, const struct announced *operation, const struct pushed *step);

#include "engine/rule.h"

/* alternatives.c */
unsigned choice_of(unsigned thread, unsigned alternative);
void alternatives_step(const struct tree *tree, const struct frame *before, struct frame *frame, const struct told_step *step);
bool alternatives_offered(const struct tree *tree, struct frame *frame, unsigned offered);
bool alternatives_next(struct tree *tree, struct frame *frame);

/* tree.c */
void tree_begin(struct tree *tree, const struct bpor_tree_order *order);
void tree_begin_anew(struct tree *tree, struct bpor_tree_facts *facts);
enum next_run tree_next(struct tree *tree, struct bpor_tree_facts *facts, struct known *known);
void tree_plan(const struct tree *tree, const struct bpor_tree_facts *facts, bool with_prefix);
void tree_start(struct tree *tree, struct bpor_tree_facts *facts, uint64_t enabled, uint64_t timed);
void tree_step(struct tree *tree, struct bpor_tree_facts *facts, const struct told_step *step);
void tree_state(struct tree *tree, const struct told_step *step, uint64_t enabled, uint64_t timed);
void tree_choose(struct tree *tree, const struct bpor_tree_facts *facts, unsigned thread);
void tree_choose_again(struct tree *tree, const struct bpor_tree_facts *facts, unsigned thread); /* at a state that was seen */
void tree_finish_choice(struct tree *tree, struct frame *frame, const struct bpor_tree_facts *facts);
void tree_refuse(struct frame *frame, struct bpor_tree_facts *facts);
enum next_run tree_execute(struct tree *tree, struct bpor_tree_facts *facts);
enum next_run open_next(struct tree *tree, struct bpor_tree_facts *facts, struct known *known);   /* open/search.c */
enum next_run cartesian_next(struct tree *tree, struct bpor_tree_facts *facts);                   /* cartesian/search.c */
enum next_run graphs_next(struct tree *tree, struct bpor_tree_facts *facts, struct known *known); /* graphs/search.c */
bool tree_cut(struct tree *tree, unsigned thread);
void tree_end(struct tree *tree, struct bpor_tree_facts *facts, enum bpor_outcome outcome);
uint64_t tree_trace_hash(const struct tree *tree);

/* below.c */
void below_begin(struct tree *tree, const uint64_t *words);
void below_raise(struct tree *tree, uint32_t root);
bool below_knows(const struct tree *tree, uint32_t index);
void below_tell(const struct tree *tree, struct bpor_tree_facts *facts);

/* save.c */
uint64_t tree_save(const struct tree *tree, uint64_t *words, uint64_t room);
uint64_t tree_save_watch(const struct tree *tree, uint32_t index, uint64_t *words, uint64_t room);

/* estimate.c */
void tree_estimate(const struct tree *tree, struct bpor_tree_facts *facts);
#endif
