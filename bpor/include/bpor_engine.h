/* The search of bpor-native as a library: Bounded Partial-Order Reduction (Coons, Musuvathi, McKinley 2013) for any runtime that
 * can run a program again and decide which of its threads goes next. docs/engine.md explains it with an example.
 *
 *     struct bpor_engine *engine = bpor_engine_new(&options);
 *     while (bpor_engine_begin(engine)) {
 *         for each thread of the initial state: bpor_engine_announce(engine, &its_first_operation);
 *         while ((thread = bpor_engine_schedule(engine, enabled, waiters)) >= 0) {
 *             run `thread` until its next operation;
 *             bpor_engine_step(engine, flags, accesses, count);
 *             bpor_engine_announce(engine, &its_next_operation);    or: bpor_engine_finish(engine, thread);
 *         }
 *         bpor_engine_end(engine, died);
 *     }
 *
 * The contract: the program is deterministic, that is, the same schedule does the same; a thread announces what it will do next,
 * and what it then touches is among what it announced, or was in no other thread's reach; whether a thread is enabled is a
 * function of the steps that were executed. A program that breaks it is told so (BPOR_ENGINE_DIVERGED). At most 64 threads; one
 * engine is used by one thread at a time; nothing here touches the program. */
#ifndef BPOR_ENGINE_H
#define BPOR_ENGINE_H
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
/* cffi: begin */

enum bpor_engine_limit { BPOR_ENGINE_UNBOUNDED = 0xffffffff, BPOR_ENGINE_THREADS = 64, BPOR_ENGINE_NO_THREAD = 0xffff };

/* The first four belong to a search that is meant to be fast; each is complete within every bound. */
enum bpor_engine_flags {
    BPOR_ENGINE_SLEEP_SETS = 1,
    BPOR_ENGINE_TRANSITIVE_REDUCTION = 2,
    BPOR_ENGINE_BOUND_OPTIMISATION = 4,
    BPOR_ENGINE_RELEASE_OPTIMISATION = 8,
    BPOR_ENGINE_ANY_ORDER = 16,  /* the guard that makes orders of exploration other than depth-first complete */
    BPOR_ENGINE_EVERYTHING = 32, /* no reduction at all */
    /* Steps that an execution has shown are not executed again: one execution for each trace instead of one for each run of the
     * search. Needs threads that see nothing outside of their causal past: no data races, clocks, addresses. */
    BPOR_ENGINE_KNOWN_STEPS = 128,
    /* With known steps: the preemption bound is ignored as long as every trace lies within it, and if that is so to the end,
     * nothing was bounded. Else at most one execution was run outside of it. */
    BPOR_ENGINE_LEADS = 256,
    /* States are recognised, so that programs with endless loops are searched to the end. By what bpor_engine_identify tells of
     * each of them; or by the steps that led to them, in whatever order. Within no bound, or those of preemptions and fairness;
     * without known steps. */
    BPOR_ENGINE_MATCH = 512,
    BPOR_ENGINE_MATCH_CAUSAL = 1024,
    /* Optimal DPOR (Abdulla, Aronis, Jonsson, Sagonas, JACM 2017) instead: source sets and wakeup trees, one execution per trace
     * and none redundant, but for those that only ask what a thread does in some state. Within no bound; programs whose waits
     * time out, or whose steps can go several ways, are BPOR_ENGINE_FULL. */
    BPOR_ENGINE_OPTIMAL = 4096,
    /* Best-first search (GAMBIT: Coons, Burckhardt, Musuvathi, PPoPP 2010): of all choices that are open the best comes next, by
     * `priority`. Whatever the order, all are explored in the end. With ANY_ORDER, without LEADS and MATCH. */
    BPOR_ENGINE_BEST_FIRST = 8192,
    /* CB-POR (Musuvathi and Qadeer, MSR-TR-2007-12): one complete execution for each terminal happens-before graph that a
     * schedule within the preemption bound has, and few in vain. Within a preemption bound or none, with KNOWN_STEPS and nothing
     * else; every graph on the way is kept. The runtime asks at every step (bpor_engine_schedule). */
    BPOR_ENGINE_GRAPHS = 16384,
    /* Cartesian partial-order reduction (Gueta, Flanagan, Yahav, Sagiv, SPIN 2007): every local state and every deadlock, not
     * every trace, by threads that run alone. Within no bound. States are recognised by the steps that led to them; with IDENTIFY
     * also by what bpor_engine_identify tells. The runtime asks at every step. */
    BPOR_ENGINE_CARTESIAN = 32768,
    BPOR_ENGINE_IDENTIFY = 65536
};

/* What makes one open choice better than another (BEST_FIRST). */
enum bpor_engine_priority {
    BPOR_ENGINE_PREEMPTIONS = 1, /* or what else the bound counts: few of them */
    BPOR_ENGINE_RACES = 2,       /* a race asks for it */
    BPOR_ENGINE_SLEEP = 3,       /* plain sleep sets would not leave it out */
    BPOR_ENGINE_RANDOM = 4,
    BPOR_ENGINE_METHOD = 5,  /* a switch into or out of a call stack with the mark of this priority */
    BPOR_ENGINE_VARIABLE = 6 /* a switch around an access of an object with the mark of this priority */
};

enum bpor_engine_named { BPOR_ENGINE_OBJECT = 1, BPOR_ENGINE_STACK = 2 };

/* With BPOR_ENGINE_OPTIMAL: which of the beginnings that wait at a state comes next. Only the first is optimal; all are complete.
 */
enum bpor_engine_order {
    BPOR_ENGINE_DFS = 0,
    BPOR_ENGINE_BIT_REVERSAL = 1,
    BPOR_ENGINE_ROUND_ROBIN = 2,
    BPOR_ENGINE_STRIDE = 3,
    BPOR_ENGINE_CONFLICT_FIRST = 4
};

struct bpor_engine_options {
    /* BPOR_ENGINE_UNBOUNDED: none. At most one of the first three; the fair bound may go with it. docs/algorithm.md says what
     * each counts. */
    uint32_t preemption_bound;
    uint32_t context_bound;
    uint32_t delta_bound;
    uint32_t fair_bound;
    uint32_t local_depth_bound; /* not with those above */
    uint32_t local_context_bound;
    uint32_t local_preemption_bound;
    uint32_t
        stale_bound; /* alternatives of accesses of memory that an execution takes, beside the first; with fair and preemption */
    uint32_t max_steps; /* of one execution */
    uint32_t flags;     /* bpor_engine_flags */
    uint32_t
        match_limit;     /* states whose futures are known, at most; 0: 2^20. Some are forgotten then, which is sound. BEST_FIRST:
                            states in memory, at most; 0: 196,608. Others are written to an unlinked file in $TMPDIR or /var/tmp */
    uint32_t order;      /* bpor_engine_order */
    uint32_t priorities; /* BEST_FIRST: how many ... */
    uint8_t priority[16]; /* ... bpor_engine_priority, the first counts most; PREEMPTIONS and RANDOM at most once */
    uint64_t seed;        /* of RANDOM */
};

/* Bytes [object, object + size). Two accesses of different threads conflict iff they overlap and one of them writes. The object's
 * number must be the same in equivalent executions: an address is not, a thread's n-th allocation is. */
struct bpor_engine_access {
    uint64_t object;
    uint32_t size;
    uint32_t write;
};

/* What a thread will do next. */
struct bpor_engine_operation {
    uint32_t thread; /* counted from 0, in the order of creation */
    uint32_t kind;   /* bpor_engine_kind; what it may do counts, not what it is called */
    uint32_t target; /* of a join: the thread; else BPOR_ENGINE_NO_THREAD */
    uint32_t timed;  /* it may end by a timeout when nobody else can run */
    uint32_t count;
    const struct bpor_engine_access *access;
    uint64_t stack; /* a number for the calls that the thread is in (METHOD); 0: nobody asks */
};

enum bpor_engine_step_flags {
    BPOR_ENGINE_YIELDED = 1,   /* the step says that others may run */
    BPOR_ENGINE_CUT = 2,       /* leaving the thread after this step costs nothing (a yield always has it) */
    BPOR_ENGINE_FAILED = 4,    /* a try that failed */
    BPOR_ENGINE_TIMED_OUT = 8, /* the step ended by its timeout */
    BPOR_ENGINE_CIRCLES =
        32 /* a yield in a loop that goes round with nothing changed: the fair bound may keep the thread waiting */
};

/* Why there is no next step. */
enum bpor_engine_stop {
    BPOR_ENGINE_NOBODY = -1,     /* nobody is enabled: the end of the program, or a deadlock */
    BPOR_ENGINE_REDUNDANT = -2,  /* what would follow was explored before */
    BPOR_ENGINE_OVER_BOUND = -3, /* nobody who is awake may run within the bound */
    BPOR_ENGINE_STEP_LIMIT = -4,
    BPOR_ENGINE_DIVERGED = -5, /* the same schedule did something else: bpor_engine_error says where */
    BPOR_ENGINE_ASKED = -8,    /* it was only to be seen what a thread does in this state (OPTIMAL) */
    BPOR_ENGINE_MATCHED = -7,  /* what would follow this state was explored, or is, from where the execution came by it */
    BPOR_ENGINE_FULL = -6      /* a table is, or the calls came in no sensible order: likewise. The search is over. */
};

struct bpor_engine_counts {
    uint64_t executions;
    uint64_t complete; /* that ended by themselves */
    uint64_t
        refused; /* states at which the bound kept a thread from running that the search wanted to try; 0: nothing was bounded */
    uint64_t refused_states; /* states of the executions in which the bound refused an enabled thread */
    uint64_t outside;        /* executions outside of the preemption bound (LEADS) */
    uint64_t walked;         /* runs of the search for which nothing had to be executed (KNOWN_STEPS) */
    uint64_t checked; /* executions that the table could have answered: about one of 40 is run all the same, and compared */
    uint64_t contradicted_at; /* a thread did something else than its causal past had told, at this step, counted from 1: the
                                 search began anew without known steps. 0: never */
    uint64_t asked;           /* executions that ended with BPOR_ENGINE_ASKED; not among the others */
    uint64_t matched;         /* executions that came to a state whose future is known (MATCH) */
    uint64_t unidentified;    /* states of which nobody told which they are: of endless schedules nothing can be said then */
    uint64_t nodes;      /* states that best-first search keeps, the last execution's included, or that CARTESIAN covered ... */
    uint64_t most_nodes; /* ... and at most; CARTESIAN: 1 once an execution was run to the step limit */
    uint64_t written;    /* states that BEST_FIRST wrote to disk, ... */
    uint64_t written_bytes; /* ... which took so much there, ... */
    uint64_t plain_bytes;   /* ... and so much in memory before */
    double low;             /* estimates of the executions it takes altogether */
    double expected;
    double high;
};

/* For a runtime that follows a plan by itself instead of asking for every step. */
struct bpor_engine_plan {
    const uint16_t *schedule; /* all but the last choice were made before */
    uint32_t length;
    uint32_t sleepers; /* threads that sleep in the state before the last choice */
    uint32_t leads;    /* 1: this execution ignores the preemption bound (LEADS) */
    uint32_t asks;     /* 1: it ends with BPOR_ENGINE_ASKED; then all choices of the schedule are made without the engine */
    uint64_t words;
    const uint64_t *sleeping; /* for each: the thread, how many accesses wake it, and those (object, size, write) */
};

struct bpor_engine;

/* NULL: no memory. */
struct bpor_engine *bpor_engine_new(const struct bpor_engine_options *options);
void bpor_engine_free(struct bpor_engine *engine);

/* The number of a kind of operation by its name in csrc/protocol/ops.def ("mutex_lock", "read", "join", ...), in any case; -1:
 * there is none. */
int32_t bpor_engine_kind(const char *name);

/* 1: there is another execution to be run. 0: everything within the bound was run, or bpor_engine_error says what went wrong. */
int32_t bpor_engine_begin(struct bpor_engine *engine);
/* Before the first schedule: a thread that is there from the start. Later: what the thread that moved, or one that it created,
 * will do next. */
void bpor_engine_announce(struct bpor_engine *engine, const struct bpor_engine_operation *operation);
/* A thread ended, during the step of another or its own. */
void bpor_engine_finish(struct bpor_engine *engine, uint32_t thread);
/* With BPOR_ENGINE_MATCH, before each call of schedule: which state this is. Two states of a search with the same identity go on
 * alike under the same schedule, and have the same footprints. All zero, or no call: nobody knows. */
void bpor_engine_identify(struct bpor_engine *engine, uint64_t low, uint64_t high);
/* The thread to run, or a bpor_engine_stop. `waiters`: threads that are not enabled and whose wait may time out when nobody else
 * can run. */
int32_t bpor_engine_schedule(struct bpor_engine *engine, uint64_t enabled, uint64_t waiters);
/* Which way the scheduled thread is to go: 0 unless it has offered several in the same place before. */
uint32_t bpor_engine_alternative(const struct bpor_engine *engine);
/* Before bpor_engine_step: the step could go `count` ways (a load that may see old stores, an input that is left open), of which
 * it went the one asked for. `source`: the step, counted from 1, that happens before it for that, though no access shows it; 0:
 * none. */
void bpor_engine_offer(struct bpor_engine *engine, uint32_t count, uint32_t source);
/* The thread that was to run did: what it touched in fact. */
void bpor_engine_step(struct bpor_engine *engine, uint32_t flags, const struct bpor_engine_access *access, uint32_t count);
/* The execution is over. `died`: the process ended after the last step, in a way no thread had announced. */
void bpor_engine_end(struct bpor_engine *engine, int32_t died);

/* BEST_FIRST: an object, or a stack of calls, and the priorities that look for it: bit k for the k-th. What nobody named before
 * the end of the execution that shows it has none. */
void bpor_engine_name(struct bpor_engine *engine, uint32_t kind, uint64_t id, uint32_t marks);

void bpor_engine_plan(struct bpor_engine *engine, struct bpor_engine_plan *plan);
/* All but the last choice of the plan was followed: the next call of schedule is for the last one. */
void bpor_engine_follow(struct bpor_engine *engine);

/* Equal for equivalent executions: of the last step with its causal past, and of the execution so far. */
uint64_t bpor_engine_event(const struct bpor_engine *engine);
uint64_t bpor_engine_trace(const struct bpor_engine *engine);
struct bpor_engine_counts bpor_engine_count(struct bpor_engine *engine);
/* 0: nothing went wrong; else BPOR_ENGINE_DIVERGED or BPOR_ENGINE_FULL, and bpor_engine_error says more. */
int32_t bpor_engine_failed(const struct bpor_engine *engine);
const char *bpor_engine_error(const struct bpor_engine *engine);
/* cffi: end */
#ifdef __cplusplus
}
#endif
#endif
