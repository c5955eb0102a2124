/* Messages over the pipes, and the plan of one execution. A part of protocol.h. */
#ifndef BPOR_PROTOCOL_PLAN_H
#define BPOR_PROTOCOL_PLAN_H
#include <stdint.h>
/* cffi: begin */

enum bpor_message_type {
    /* target to controller */
    BPOR_MESSAGE_HELLO = 1,  /* the template waits at the fork point; a = pid, b = threads that run already */
    BPOR_MESSAGE_BATCH = 2,  /* a half of the event buffer is full; a = its number */
    BPOR_MESSAGE_ASK = 3,    /* which thread? a = step; the events so far are in the mapping */
    BPOR_MESSAGE_END = 4,    /* the execution is over and reaped; shared.end says how */
    BPOR_MESSAGE_FAILED = 5, /* the launcher could not start the program; a = errno */
    /* controller to target */
    BPOR_MESSAGE_PLAN = 16, /* followed by struct bpor_plan and its arrays */
    BPOR_MESSAGE_PICK = 17, /* a = choice, or BPOR_NO_THREAD: stop */
    BPOR_MESSAGE_QUIT = 18,
    BPOR_MESSAGE_EXPLORE = 19, /* search.order says what; answered by END, then search.answer says what came of it */
    BPOR_MESSAGE_SAVE = 20     /* tree a (the graph of its states: a + 2), as words, into search.log; answered by END, then
                                  answer.saved says how many; 0: no room */
};

struct bpor_message {
    uint32_t magic;
    uint32_t type;
    uint64_t a;
    uint64_t b;
};

enum bpor_plan_flags {
    BPOR_PLAN_WAKE_NEXT = 1,   /* a sleeper also wakes when the mover's next operation conflicts (ALGORITHM: WakeNext) */
    BPOR_PLAN_ASK = 2,         /* ask for every step after the prefix */
    BPOR_PLAN_DESCRIBE = 4,    /* objects, threads, stacks, held locks, modules: for a report */
    BPOR_PLAN_STOP = 8,        /* end after the prefix and its tail */
    BPOR_PLAN_CHECK_HASH = 16, /* the first `hashed` steps must hash to prefix_hash */
    BPOR_PLAN_DEBUGGER = 32,   /* run it in this process, once a debugger has attached */
    BPOR_PLAN_IDENTIFY = 64,   /* tell the identity of every state from report_from on */
    /* identities tell whether the program goes on alike, and nothing else: without the past that the race detector knows, and
     * without what nobody has asked for, see shared.past_read */
    BPOR_PLAN_LASSO = 128,
    BPOR_PLAN_NAMES = 256, /* identities also tell what heap blocks and mappings are called, now and from here on */
    /* states are recognised: yields are what the program says, not inferred; the race detector's past is part of an identity; who
     * comes to a state that seems to be known stops (MATCHED) */
    BPOR_PLAN_MATCH = 512
};

/* Followed by: uint16_t prefix[prefix_length]; then for each sleeper struct bpor_sleeper and its accesses. */
struct bpor_plan {
    uint32_t flags;
    uint32_t prefix_length;
    uint32_t sleepers;
    uint32_t preemption_bound; /* BPOR_UNBOUNDED: none */
    uint32_t fair_bound;       /* BPOR_UNBOUNDED: none */
    uint32_t context_bound;    /* BPOR_UNBOUNDED: none */
    uint32_t delta_bound;      /* BPOR_UNBOUNDED: none */
    uint32_t max_steps;
    uint32_t report_from;  /* events of steps before this one are not wanted */
    uint32_t bytes;        /* of what follows */
    uint32_t quantum;      /* a probe: round robin, so many steps each, until a state comes back (loops/probe.c); 0: it is none */
    uint32_t compare_from; /* tell which words differ between states: the first of them, by its steps ... */
    uint32_t compare_every;  /* ... and how many steps lie between two; 0: tell nothing */
    uint32_t gather;         /* a probe: the first thread begins, until it has to wait or so many threads are there */
    uint32_t tail;           /* so many choices behind the prefix are followed too, up to the first that cannot be */
    uint32_t hashed;         /* steps of the prefix that prefix_hash is of */
    uint32_t sample;         /* bpor_sample: who runs after the prefix is drawn; 0: it is not */
    uint32_t sample_depth;   /* pct: one more than the changes of priorities */
    uint32_t sample_longest; /* pct: steps among which those are drawn */
    uint32_t unused;
    uint64_t sample_seed; /* of the draws of this execution */
    uint64_t prefix_hash;
};

/* How executions are drawn. */
enum bpor_sample { BPOR_SAMPLE_NONE = 0, BPOR_SAMPLE_RANDOM = 1, BPOR_SAMPLE_PCT = 2, BPOR_SAMPLE_POS = 3 };

struct bpor_sleeper {
    uint32_t thread;
    uint32_t accesses;
};
/* cffi: end */
#endif
