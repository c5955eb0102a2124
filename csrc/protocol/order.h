/* What the controller orders the search beside the program to do, and when that stops. A part of protocol.h. */
#ifndef BPOR_PROTOCOL_ORDER_H
#define BPOR_PROTOCOL_ORDER_H
#include <stdint.h>
/* cffi: begin */

enum {
    BPOR_TREES = 2,            /* that may take turns, execution by execution */
    BPOR_TREE_THREADS = 64,    /* per execution: one word of a mask */
    BPOR_TREE_DEPTH = 2097152, /* steps on the stack of a tree */
    BPOR_LOG_EVENTS = 8388608, /* of one execution, without its replayed prefix */
    BPOR_DISTINCT_BITS = 22,   /* slots of the largest table of hashes */
    BPOR_DISTINCT_SLOTS = 4194304,
    BPOR_DISTINCT_CAP = 1048576, /* hashes kept in it when it is thinned out */
    BPOR_INFERRED_SITES = 1024,
    BPOR_HANDED_WORDS = 262144, /* of the sleepers that a subtree begins with, and of its first watch; of states, at once */
    BPOR_ALL_OTHERS = 0xffff,   /* whose a record of cartesian/share.c is */
    BPOR_COVERED_WORDS = 3,     /* of one that only says what is covered */
    BPOR_RECORDS = 65536,
    BPOR_TALLY_PASSED = 30, /* in ended[]: EXIT with status 0 ... */
    BPOR_TALLY_KILLED = 31, /* ... and the child that died of SIGKILL */
    BPOR_TALLY_SIZE = 32
};

enum bpor_tree_flags {
    BPOR_TREE_SLEEP_SETS = 1,
    BPOR_TREE_TRANSITIVE_REDUCTION = 2,
    BPOR_TREE_BOUND_OPTIMISATION = 4,
    BPOR_TREE_RELEASE_OPTIMISATION = 8,
    BPOR_TREE_ANY_ORDER = 16,
    BPOR_TREE_EVERYTHING = 32,     /* no reduction: every thread within the bound is tried in every state */
    BPOR_TREE_GOES_ON = 64,        /* a further subtree of a tree that has begun: its counts go on */
    BPOR_TREE_KNOWN_STEPS = 128,   /* what an execution has shown is not executed again */
    BPOR_TREE_LEADS = 256,         /* the preemption bound is ignored until a trace lies outside of it; needs known steps */
    BPOR_TREE_MATCH = 512,         /* states are recognised by their identities; not in subtrees, and then no known steps */
    BPOR_TREE_MATCH_CAUSAL = 1024, /* likewise by the steps that led to them, in whatever order */
    BPOR_TREE_IN_PARTS = 2048,     /* others have parts of it, or had: alone it cannot begin anew */
    BPOR_TREE_OPTIMAL = 4096,      /* source sets and wakeup trees; within no bound, not in parts, nothing else but the order */
    BPOR_TREE_BEST_FIRST = 8192,   /* open choices are taken by their priorities; not in parts, and states are not recognised */
    BPOR_TREE_CARTESIAN = 32768,   /* threads are run alone, from states that are recognised; within no bound */
    BPOR_TREE_IDENTIFY = 65536,    /* ... also by their identities */
    BPOR_TREE_GRAPHS = 16384 /* CB-POR: states are happens-before graphs; with known steps, within a preemption bound or none */
};

/* Which of the beginnings that wait at a state comes next, with BPOR_TREE_OPTIMAL. */
enum bpor_wakeup_order {
    BPOR_WAKEUP_DFS = 0,
    BPOR_WAKEUP_BIT_REVERSAL = 1,
    BPOR_WAKEUP_ROUND_ROBIN = 2,
    BPOR_WAKEUP_STRIDE = 3,
    BPOR_WAKEUP_CONFLICT_FIRST = 4
};

/* What makes one open choice better than another, with BPOR_TREE_BEST_FIRST. */
enum bpor_priority {
    BPOR_PRIORITY_PREEMPTIONS = 1, /* or what else the bound counts: few of them */
    BPOR_PRIORITY_RACES = 2,       /* a race asks for it */
    BPOR_PRIORITY_SLEEP = 3,       /* plain sleep sets would not leave it out */
    BPOR_PRIORITY_RANDOM = 4,
    BPOR_PRIORITY_METHOD = 5,  /* a switch into or out of a function that has a name */
    BPOR_PRIORITY_VARIABLE = 6 /* a switch around an access of a variable that has one */
};

/* What best-first search wants of the file where the coldest of its open choices lie. DROP: those bytes are needed no more. */
enum bpor_shelf_request { BPOR_SHELF_NOTHING = 0, BPOR_SHELF_WRITE = 1, BPOR_SHELF_READ = 2, BPOR_SHELF_DROP = 3 };

enum bpor_named { BPOR_NAMED_OBJECT = 1, BPOR_NAMED_STACK = 2 };

enum bpor_order_flags {
    BPOR_ORDER_STOP_AT_BUG = 1,
    BPOR_ORDER_STOP_AT_STEP_LIMIT = 2,
    BPOR_ORDER_RECORD = 4,              /* a bpor_record of every execution */
    BPOR_ORDER_STOP_AT_SHARED_STATE = 8 /* once threads share something whose uses are no operations */
};

struct bpor_tree_order {
    uint32_t flags;            /* bpor_tree_flags */
    uint32_t preemption_bound; /* BPOR_UNBOUNDED: none; likewise the others */
    uint32_t fair_bound;
    uint32_t context_bound;
    uint32_t delta_bound;
    uint32_t local_depth_bound; /* these three the runtime does not know: an execution is cut where it exceeds one */
    uint32_t local_context_bound;
    uint32_t local_preemption_bound;
    uint32_t stale_bound; /* of the alternatives that weak memory offers: how many are taken */
    uint32_t max_steps;
    uint32_t match_limit;  /* states whose futures are known, or, in best-first search, that are kept in memory, at most; 0: as
                              many as there is room for */
    uint32_t below;        /* choices that lead to this subtree, in facts.schedule, the last one new; 0: it is the whole tree */
    uint32_t wakeup_order; /* bpor_wakeup_order */
    uint32_t priorities;   /* of best-first search: how many ... */
    uint8_t priority[16];  /* ... bpor_priority, the first counts most */
    uint32_t sample;       /* bpor_sample: no tree at all, executions are drawn */
    uint32_t sample_depth;
    uint32_t sample_longest; /* before anything has run */
    uint64_t sample_seed;    /* of the search, best-first search too ... */
    uint64_t sample_number;  /* ... and of its first execution */
    uint64_t below_hash;     /* of the steps that lead to the last of them */
};

/* What to do until the next answer. */
struct bpor_order {
    uint32_t trees; /* bit k: tree k takes part. Two take turns: tree 0 while lead <= 0 */
    uint32_t begin; /* bit k: tree k begins anew, as tree[k] says */
    uint32_t begin_total;
    uint32_t flags;        /* bpor_order_flags */
    uint32_t distinct_cap; /* traces that are told apart before their number is an estimate */
    uint32_t states_cap;   /* likewise local states, of which every step makes one */
    uint32_t narrowed;     /* tables that only save work have 1 / 2^narrowed of their room, from begin_total on */
    uint32_t milliseconds; /* at most, but for the execution that runs */
    uint64_t executions;   /* at most */
    uint32_t worker;       /* of cartesian search: which of those that share its states this is, ... */
    uint32_t workers;      /* ... and how many they are; 0 is 1 */
    uint32_t taken;        /* the controller has the states that were given */
    uint32_t weight;       /* where two take turns: one execution of tree 1 makes up for so many of tree 0 */
    uint64_t handed;       /* words of tree[0].handed: states for it, as the others gave them (cartesian/share.c) */
    struct bpor_tree_order tree[2];
};

enum bpor_answer_stop {
    BPOR_STOP_NONE = 0,         /* it runs, or the target died */
    BPOR_STOP_BUDGET = 1,       /* executions, milliseconds, or the controller's wish */
    BPOR_STOP_FINISHED = 2,     /* nothing is left to run in `tree` */
    BPOR_STOP_NOTABLE = 3,      /* the last execution: schedule[0..steps), told as end says */
    BPOR_STOP_TROUBLE = 4,      /* the execution could not be used: shared.end says why; it is still to be run */
    BPOR_STOP_LITTER = 5,       /* the execution left files behind, which only the controller can remove */
    BPOR_STOP_CONTRADICTED = 6, /* known steps were wrong: everything begins anew, without them */
    BPOR_STOP_NAMES = 7,        /* best-first search waits for the marks of search.names */
    BPOR_STOP_SHELF = 8         /* ... for what search.shelf asks for */
};

struct bpor_answer {
    uint32_t stop;       /* bpor_answer_stop */
    uint32_t tree;       /* of the last execution, or the one that is finished */
    uint64_t executions; /* since the order was given: the controller sets 0 before */
    int64_t lead; /* executions of tree 0 minus those of tree 1, by weight, while both take part; the controller sets it before */
    uint64_t first;    /* NOTABLE: the steps before it were replayed */
    uint64_t saved;    /* words */
    uint32_t outcome;  /* NOTABLE: how it ended, as in ended[] */
    uint32_t orders;   /* mask of the memory orders seen (BPOR_FLAG_ORDER), of the whole search */
    uint32_t records;  /* likewise */
    uint32_t inferred; /* sites of yields that the program does not write, of the whole search */
    uint64_t site[1024];
};
/* cffi: end */
#endif
