/* What the search beside the program counts and knows of its trees. A part of protocol.h. */
#ifndef BPOR_PROTOCOL_TALLY_H
#define BPOR_PROTOCOL_TALLY_H
#include <stdint.h>
/* cffi: begin */

struct bpor_record {
    uint64_t schedule; /* hash of the thread numbers */
    uint64_t hash;     /* of the execution */
    uint32_t outcome;
    uint32_t steps;
};

/* Distinct hashes: exact while level is 0; then only those with `level` zero bits at the end are kept. */
struct bpor_distinct {
    uint32_t level;
    uint32_t bits; /* 2^bits slots are in use */
    uint32_t half; /* the one in use */
    uint32_t zero; /* the hash 0 was seen: 0 marks a free slot */
    uint64_t used;
    uint64_t slot[2][4194304];
};

struct bpor_tally {
    uint64_t executions;
    uint64_t steps; /* new ones */
    uint64_t made;  /* all, replayed prefixes included */
    uint64_t refused;
    uint64_t lost;
    uint64_t lost_at;
    uint64_t counting_at;
    uint64_t threads;
    uint64_t walked;    /* runs of the search that needed no execution: known steps */
    uint64_t checked;   /* executions that the table of known steps could have answered */
    uint64_t asked;     /* executions that only told what a thread does in some state; not counted elsewhere */
    uint64_t ended[32]; /* by bpor_outcome; PASSED and KILLED stand apart */
    struct bpor_distinct traces;
    struct bpor_distinct states;
};

/* Threads that a subtree wants to be tried at a state above it; what that means is for the owner of the state to decide. */
struct bpor_wanted {
    uint64_t backtrack;
    uint64_t conservative;
};

struct bpor_tree_facts {
    uint32_t begun;
    uint32_t finished;
    uint32_t running;       /* chosen, and nothing is learned of it yet */
    uint32_t learning;      /* the tree is being changed: if the target died here it is lost */
    uint32_t exceeded;      /* below the last state that belongs to somebody else, the bound refused a thread */
    uint32_t leads;         /* the stack is not that of the bounded search, which has not begun ... */
    uint32_t left_bound;    /* ... and has to, because a trace lies outside of the bound */
    uint32_t longest;       /* execution that was drawn, in steps */
    uint32_t nodes;         /* states that best-first search keeps ... */
    uint32_t most_nodes;    /* ... and kept at most; of cartesian search: 1 once it ran an execution to the step limit */
    uint32_t alternatives;  /* of the choice that leads from there to what is searched ... */
    uint32_t refuses;       /* ... and the bound refused others */
    uint32_t given;         /* words of `handed`: states of cartesian search for others */
    uint32_t root;          /* states at the bottom of the stack that belong to somebody else; the controller may raise it */
    uint64_t shelved;       /* states that best-first search has on disk; it has written there altogether ... */
    uint64_t written;       /* ... so many, ... */
    uint64_t written_bytes; /* ... which took so much there, ... */
    uint64_t plain_bytes;   /* ... and so much in memory before */
    uint64_t states;        /* distinct ones, where they are recognised */
    uint64_t unidentified;  /* states that nobody could tell apart, or that there was no room for: then nothing is known of
                               endless schedules */
    uint64_t refused;       /* states at which the bound refused a thread that the search wanted */
    uint64_t contradicted;  /* a thread did something else than its causal past had told, at this step, counted from 1: the tree
                               was begun anew, without known steps. 0: never */
    uint64_t contradicted_site; /* the operation after which it did; 0: not known */
    uint64_t depth;             /* steps on the stack */
    double low;                 /* estimates of the executions it takes altogether */
    double expected;
    double high;
    struct bpor_tally tally;
    uint16_t schedule[2097152];
    struct bpor_wanted wanted[2097152]; /* of the first `root` */
    uint64_t handed[262144]; /* who sleeps where a subtree begins; then the watch of its first choice, as save.c writes it; or
                                states of cartesian search */
};

struct bpor_shelf {
    uint32_t request; /* bpor_shelf_request */
    uint32_t answered;
    uint64_t offset; /* in the file */
    uint64_t bytes;
    uint64_t page; /* where they are, or have to be put: from the beginning of struct bpor_search */
};

/* What the names that the user gave may stand for: the target asks once for each, the controller answers with the next order. */
struct bpor_names {
    uint32_t count;
    uint32_t answered;
    struct bpor_name {
        uint64_t id;    /* object, or hash of a call stack */
        uint32_t kind;  /* bpor_named */
        uint32_t marks; /* the answer: bit k, the k-th priority looks for it */
        uint32_t frames;
        uint64_t frame[64]; /* return addresses, the innermost first */
    } name[1024];
};
/* cffi: end */
#endif
