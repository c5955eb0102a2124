/* The runtime's own state and the functions its rooms offer each other.
 *
 * Invariants: exactly one thread of the target runs between two scheduling states; all state lies in one mapping of our own
 * (`bpor`), reserved before main; nothing here calls malloc, stdio or a lock of the target.
 */
#ifndef BPOR_RUNTIME_H
#define BPOR_RUNTIME_H
#include "arch/x86_64/context.h"
#include "protocol/operations.h"
#include "protocol/protocol.h"
#include "runtime/kin.h"
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct thread_set {
    uint64_t word[BPOR_THREAD_WORDS];
} thread_set;

struct object;

/* What a thread will do next, then what it did: `perform` turns the pending footprint into the executed one. */
struct operation {
    uint8_t kind;
    uint8_t flags; /* bpor_event_flags of the executed step */
    uint8_t accesses;
    bool timed;      /* may also end by its timeout */
    bool by_timeout; /* chosen for its timeout, not because it was enabled */
    bool circles;    /* executed: a yield after which the thread may be kept waiting (circle.h) ... */
    bool moves;      /* ... though it gets on with something ... */
    bool counts;     /* ... which is only a count of its rounds */
    uint16_t target;
    uint8_t offered; /* executed: alternatives; 0: it offers none */
    uint32_t source; /* executed: index + 1 of the step that stored what an old read saw */
    uint64_t site;
    uint64_t value;
    uint64_t deadline;     /* virtual time, nanoseconds */
    struct object *object; /* the first object */
    struct object *second; /* a condition's mutex */
    int64_t argument;
    struct bpor_access access[BPOR_MAX_ACCESSES];
};

enum { FIRST_QUEUED = 32, LAST_SIGNAL = 64 };
enum thread_state { THREAD_UNUSED, THREAD_STARTING, THREAD_WAITING, THREAD_RUNNING, THREAD_FINISHED };

struct thread {
    uint16_t id;
    uint16_t creator;
    uint8_t state;
    bool shielded; /* inside the runtime: interceptors pass through */
    bool detached;
    bool joined;
    struct operation
        op;        /* its kind is in one line of the cache with the thread's state: every step looks at both of every thread */
    uint64_t name; /* canonical: hash of (creator's name, its n-th child) */
    uint32_t children;
    uint32_t allocations;
    uint32_t mappings;
    uint32_t yields;
    bool circles; /* of its last yield */
    bool moves;
    bool counts;
    uint64_t yielded_at; /* call site of its last yield */
    uint32_t steps;
    uint32_t clock_reads; /* in a row, from the same one or two call sites */
    uint64_t clock_site;
    uint64_t clock_site_before;
    int result;
    uint64_t now;       /* virtual time */
    uint64_t random;    /* state of its random stream */
    uint64_t failed_at; /* what its last try in vain of an atomic access met, and where */
    void *(*start)(void *);
    void *argument;
    void *value;         /* returned, for join */
    const void *left_at; /* call site of its pthread_exit, or NULL */
    pthread_t handle;
    int kernel_id;
    uint32_t go;              /* kernel threads: 1 while the thread may run */
    struct context context;   /* fibers: where it was left; kernel threads: home, while it runs on a stack of the program's own */
    struct registers parked;  /* fibers: at its last scheduling point, if states are identified */
    uintptr_t own_stack;      /* kernel threads: that stack's lowest byte, or 0 */
    bool stack_is_programs;   /* it is the program's memory before and after the thread */
    bool stack_is_shared;     /* others used synchronisation objects on it */
    uint16_t after;           /* and who goes on when it has ended */
    uint64_t signal_mask;     /* fibers: the kernel's, while it does not run (masks.c) */
    uint64_t blocked_in_name; /* signals that it blocks as far as it knows */
    uint64_t waiting_signals; /* that it was sent and blocks */
    uint64_t let_in;          /* while it waits: signals that may come then, though it blocks them */
    uint32_t waiting_times[LAST_SIGNAL - FIRST_QUEUED + 1]; /* real-time ones: each comes as often as it was sent */
    char given_name[16];                                    /* pthread_setname_np */
    const uint64_t *machine_stack;                          /* while an access of machine code is told: the program's there */
    uintptr_t stack_low;
    uintptr_t stack_top;
    size_t stack_bytes;
    size_t guard_bytes;                /* asked for: what pthread_getattr_np answers */
    struct cleanup_entry *destructors; /* C++ thread_local objects */
    uint16_t robust_held;              /* robust mutexes it holds */
    bool allocation_fails;             /* the next one that it asks for, by --faults */
    long by_number;          /* 1 + the system call that it asked syscall() for, while our function of that name serves it */
    struct alternate_stack { /* for signal handlers; of the target's own choice */
        bool chosen;
        void *start;
        size_t bytes;
    } alternate;
    void *python_state;    /* --gil off: what the interpreter needs to have its lock back */
    bool in_region;        /* passed the gate of the explored region */
    bool member;           /* which ends with it */
    bool left;             /* and has left it: told as ended */
    bool told;             /* the controller knows of it */
    bool acts_for_program; /* a function of ours that another one of ours calls: what it accesses is the program's doing */
    bool moved_unseen;     /* but not, or not yet, what it will do next */
    const void *touching;  /* call site of the last call of libc that was an operation, and on what (process/process_state.h) */
    unsigned touched;
    struct kin kin;
} __attribute__((aligned(64)));

enum { MAX_OBJECTS = 1 << 16 };

struct sleeper {
    uint16_t thread;
    bool awake;
    uint32_t accesses;
    const struct bpor_access *watch;
};

/* Reserved once, copied by fork; nothing of it is shared with the controller. */
struct runtime {
    struct bpor_shared *shared;
    int plan_fd;
    int event_fd;
    bool attached;         /* this process is the one to control */
    bool unheard;          /* it has its turn beside the one that is controlled: runs one schedule and tells nothing */
    bool adopted;          /* it was not launched: its test runner forked it, and only that can start another */
    uint32_t tasks_before; /* kernel threads at the fork point */
    uint32_t process;      /* that runs the execution */
    bool forked;           /* an execution is running in this process */
    /* the execution */
    struct bpor_plan plan;
    const uint16_t *prefix;
    uint32_t sleepers;
    uint64_t steps;
    unsigned alternative;           /* that the next step takes */
    uint32_t injected[BPOR_FAULTS]; /* faults so far, by kind */
    bool assumed_away;              /* a thread stands at an assumption that does not hold */
    bool looked_again;              /* a thread goes no further, because it has looked for nothing (retry.h) */
    uint64_t calls;                 /* of functions of ours, by the program */
    uint32_t alone_in_circles;      /* rounds that one thread went with nothing changed, since another made a step */
    uint64_t hash;
    uint32_t preemptions;
    uint32_t spent; /* context switches or delays, if they are bounded */
    uint32_t refused_by_bound;
    uint32_t lost;        /* states in which the fair bound kept a thread from running that got on with something */
    uint64_t lost_at;     /* where the first such thread yielded */
    uint64_t counting_at; /* likewise, where one was taken for waiting that only counts its rounds */
    uint16_t threads;
    uint16_t last;         /* thread of the last step, BPOR_NO_THREAD before the first */
    bool last_cut;         /* leaving it is free */
    bool performing;       /* a step is being performed */
    uint32_t fault;        /* nonzero: the outcome with which the execution ends once the step is on record */
    bool unexplored;       /* outside of the explored region: steps are run in one fixed order and not told */
    bool instrumented;     /* code that tells its accesses is in the process */
    uint64_t signals_sent; /* from thread to thread, bit n - 1 */
    thread_set enabled;    /* in the current state */
    thread_set timed;      /* of these, by timeout alone */
    thread_set held_back;  /* could run too, but the first of their kin does: see kin.h */
    struct thread thread[BPOR_MAX_THREADS];
    struct sleeper sleeper[BPOR_MAX_THREADS]; /* last: the pages of what changes most are put back after each execution */
};

extern struct runtime *bpor;
extern __thread struct thread *bpor_self __attribute__((tls_model("initial-exec")));

/* The one predicate that decides whether an interceptor acts. */
static inline bool bpor_controlled(void)
{
    bool controlled = bpor_self != NULL && bpor->forked && !bpor_self->shielded;
    if (controlled)
        bpor->calls++;
    return controlled;
}

/* step.c: the one scheduling point */
struct operation *bpor_operation(enum operation_kind kind, const void *site);
/* The same, though late steps (late.h) are still to be made. */
struct operation *bpor_operation_before_late(enum operation_kind kind, const void *site);
void bpor_touch(struct operation *op, uint64_t object, uint32_t size, bool write);
void bpor_touch_object(struct operation *op, struct object *object, bool write);
int bpor_step(void);
/* The process ends by a signal: if that is in the midst of a step, the step is part of the schedule. */
void bpor_step_crashes(void);
void bpor_mark_failed(struct thread *thread);
void bpor_announce(struct thread *thread);
/* Another thread runs, until this one is chosen again. */
void bpor_hand_over(struct thread *from, struct thread *to);

/* policy.c */
struct thread *bpor_choose(void);
void bpor_account(struct thread *chosen);
void bpor_filter_sleepers(const struct thread *mover);
/* Can it do its next operation now? */
bool bpor_operation_enabled(const struct thread *thread);
/* May its next operation end by a timeout, in an idle state? */
bool bpor_waits_timed(const struct thread *thread);

/* Does somebody ask which state this is? Then threads note their registers. */
static inline bool bpor_wants_states(const struct bpor_plan *plan)
{
    return plan->flags & BPOR_PLAN_IDENTIFY || plan->quantum || plan->compare_every;
}

static inline bool bpor_states_are_known(void)
{
    return bpor_wants_states(&bpor->plan);
}

/* The same for who cannot ask so: what a stack holds is part of a state, so that what calls leave behind is cleared. */
extern uint32_t bpor_clears_stacks;

static inline bool bpor_is_bounded(void)
{
    const struct bpor_plan *plan = &bpor->plan;
    return (plan->preemption_bound & plan->fair_bound & plan->context_bound & plan->delta_bound) != BPOR_UNBOUNDED;
}

/* Is it inferred from a thread's past which of its steps are yields? Where states are recognised that past is a part of them
 * under a fair bound; without one nothing depends on it, and it would only tell states apart. */
static inline bool bpor_past_counts(void)
{
    return !(bpor->plan.flags & BPOR_PLAN_MATCH) || bpor->plan.fair_bound != BPOR_UNBOUNDED;
}

/* Under a fair bound a loop that looks or tries waits, also if it counts its rounds: spinning a while before blocking is what
 * libraries do (libstdc++, libgomp, Rust), and every such search would be inconclusive. Without one, leaving it costs a
 * preemption; where states are recognised, a loop that counts comes to another state in each round. */
static inline bool bpor_counting_waits(void)
{
    return bpor->plan.fair_bound != BPOR_UNBOUNDED && !(bpor->plan.flags & BPOR_PLAN_MATCH);
}

/* footprint.c */
bool bpor_conflict(const struct bpor_access *a, unsigned a_count, const struct bpor_access *b, unsigned b_count);

/* events.c */
void bpor_emit_step(const struct thread *thread);
void bpor_emit_pending(struct thread *thread);
void bpor_emit_first_state(void);
struct digest;
/* True: the state has an identity, and it was told. */
bool bpor_emit_identity(struct digest *told);
void bpor_emit_differences(void);
/* Exploration begins: what the threads that moved unexplored will do next. */
void bpor_emit_unseen(void);
void bpor_emit_finished(const struct thread *thread);
void bpor_emit_description(void);
void bpor_emit_object(const struct object *object, uint64_t allocation_site);
void bpor_emit_place(uint64_t id, uintptr_t address, uint64_t allocation_site);
/* Described executions: the program gave this object a name; `kind`: a word before it, or "". */
void bpor_emit_name(uint64_t id, const char *kind, const char *name);
void bpor_send(enum bpor_message_type type, uint64_t a, uint64_t b);
uint16_t bpor_ask(void);

/* threads.c */
int bpor_thread_create(pthread_t *handle, const pthread_attr_t *attributes, void *(*start)(void *), void *argument,
                       const void *site);
/* Runs a new thread of the calling one to its first operation, or to its end. */
void bpor_thread_begin(struct thread *thread);
int bpor_thread_join(pthread_t handle, void **value, const void *site);
int bpor_thread_detach(pthread_t handle, const void *site);
struct thread *bpor_thread_of(pthread_t handle);
/* libc's answer describes the kernel thread that carries the target's thread; this corrects it to describe the target's thread.
 */
void bpor_thread_attributes(const struct thread *thread, pthread_attr_t *attributes);
int bpor_thread_set_name(pthread_t handle, const char *name);
int bpor_thread_get_name(pthread_t handle, char *name, size_t bytes);
void bpor_thread_adopt_main(void);
void bpor_thread_finish(struct thread *thread);
void bpor_run_thread_destructors(void);
/* model/robust.c, thread_end.c, join.c: parts of a thread's end that others can see, each a step if there is something to see */
void bpor_thread_abandon_mutexes(struct thread *thread);
void bpor_thread_announce_end(struct thread *thread);
void bpor_touch_thread(struct operation *op, const struct thread *thread);

/* end.c: how an execution ends */
__attribute__((noreturn)) void bpor_end(enum bpor_outcome outcome, int code, const char *message);
__attribute__((noreturn)) void bpor_end_with_stack(enum bpor_outcome outcome, int code, const char *message);
/* Outside a step: ends the execution at once. While a step is performed: once the step is on record, so that it is part of the
 * schedule. */
__attribute__((format(printf, 1, 2))) void bpor_misuse(const char *format, ...);
/* The same for any outcome; the message is in shared->end already. */
void bpor_fault(enum bpor_outcome outcome);
void bpor_end_if_faulty(void);
__attribute__((noreturn)) void bpor_refuse(const char *call, const char *way_out);
/* A call that leaves nothing behind that could not be seen at the first thread: without threads it need not be controlled. */
__attribute__((noreturn)) void bpor_refuse_beside_threads(const char *call, const char *way_out);
void bpor_process_end(int status, const void *site);
/* Status 0 that nobody announced is no success. */
#define BPOR_BECAME "became another program behind its threads: how that ends is out of our sight; execute it in a child"
#define BPOR_BARE_EXIT "exit by a bare system call: it is out of our sight; use exit or _exit"
void bpor_record_stack(void);

/* signals.c */
void bpor_signals_install(void);
void bpor_signals_prepare_thread(struct thread *thread);
enum { WATCHDOG_SIGNAL = 64 };

/* template.c */
void bpor_template_run(void);

/* time.c */
enum { NANOSECONDS = 1000000000 };
uint64_t bpor_now(void);
void bpor_time_pass(struct thread *thread, uint64_t nanoseconds);
uint64_t bpor_deadline(int clock, const struct timespec *absolute);
/* UINT64_MAX stands for what is too long to be counted, and for a time that never comes. */
uint64_t bpor_nanoseconds(uint64_t seconds, uint64_t nanoseconds);
uint64_t bpor_time_in(uint64_t nanoseconds);
uint64_t bpor_epoch(int clock);
/* A thread has read a clock, or compares it with a time of its own. */
void bpor_time_is_read(void);
/* Do virtual clocks decide how the program goes on? Not where none was ever read, if the plan leaves them out. */
bool bpor_time_counts(void);
/* Time goes on from what the clocks say now. */
void bpor_time_begin_late(void);

/* Words that may hold a thread: the others of a set are zero. */
static inline unsigned set_words(void)
{
    return (bpor->threads + 63u) / 64;
}

static inline bool set_has(const thread_set *set, unsigned thread)
{
    return set->word[thread / 64] >> (thread % 64) & 1;
}

static inline void set_add(thread_set *set, unsigned thread)
{
    set->word[thread / 64] |= 1ull << (thread % 64);
}

static inline void set_remove(thread_set *set, unsigned thread)
{
    set->word[thread / 64] &= ~(1ull << (thread % 64));
}

static inline bool set_empty(const thread_set *set)
{
    for (unsigned i = 0; i < set_words(); i++)
        if (set->word[i])
            return false;
    return true;
}
#endif
