/* The contract between the controller (Python) and the runtime (C): everything that crosses.
 *
 * cffi parses this file, so it stays within cffi's subset between the two markers: structs, enums, no attributes.
 * Small messages cross over two pipes (each at most PIPE_BUF, so a killed writer never leaves half of one); events lie in a
 * mapping both sides share, so a killed target loses none of them.
 */
#ifndef BPOR_PROTOCOL_H
#define BPOR_PROTOCOL_H
#include <stdint.h>
/* cffi: begin */

enum {
    BPOR_MAGIC = 0x524f5042, /* "BPOR" */
    BPOR_VERSION = 1,
    BPOR_MAX_THREADS = 256, /* per execution, finished ones included */
    BPOR_THREAD_WORDS = 4,  /* BPOR_MAX_THREADS / 64 */
    BPOR_NO_THREAD = 0xffff,
    BPOR_UNBOUNDED = 0xffffffff,
    BPOR_FAIR_ENOUGH = 512, /* a fair bound under which loops that only count their rounds show it (circle.c) */
    BPOR_FIRST_HASH = 1,    /* of an execution without a step */
    BPOR_INLINE_ACCESSES = 3,
    BPOR_MAX_ACCESSES = 64,   /* of one operation */
    BPOR_HALF_EVENTS = 16384, /* events in one half of the event buffer */
    BPOR_MAX_FRAMES = 64,     /* of a native stack */
    BPOR_MESSAGE_BYTES = 1024,
    BPOR_MODULE_BYTES = 65536,
    BPOR_PATH_BYTES = 4096
};

/* An object's identity is its canonical address, equal in equivalent executions:
 *   bits 63..60 class   59..58 place   57..32 region   31..0 offset
 * A memory access covers `size` bytes from there; every other object has size 1. Two accesses share an object iff their ranges
 * overlap. */
enum bpor_object_class {
    BPOR_CLASS_MEMORY = 0,
    BPOR_CLASS_SYNC = 1,
    BPOR_CLASS_QUEUE = 2, /* the waiters of a futex word: another object than the word */
    BPOR_CLASS_THREAD = 3,
    BPOR_CLASS_FILE = 4,      /* pipes, eventfds, sockets, FILEs */
    BPOR_CLASS_NAME = 5,      /* named semaphores */
    BPOR_CLASS_CONTAINER = 6, /* what a Python container holds: another object than its memory */
    BPOR_CLASS_PROCESS = 7    /* who may end it (model/thread_end.c) */
};
enum bpor_object_place {
    BPOR_PLACE_STATIC = 0, /* region: module number; offset: from its load address */
    BPOR_PLACE_HEAP = 1,   /* region: hash of (allocating thread, its n-th allocation) */
    BPOR_PLACE_STACK =
        2, /* region: hash of the thread, another for thread-local; offset: 0xfffff000 at its first frame, or pointer */
    BPOR_PLACE_OTHER = 3 /* anything else: the address itself */
};

struct bpor_access {
    uint64_t object;
    uint32_t size;
    uint32_t write;
};

/* ---- events: target to controller, in the shared mapping ---- */

/* A choice of a schedule is a thread, and the alternative it takes times this. */
enum { BPOR_ALTERNATIVE = 1 << 10 };

enum bpor_event_type {
    BPOR_EVENT_STEP = 1,     /* thread did op: executed footprint, value, enabled threads before it */
    BPOR_EVENT_PENDING = 2,  /* thread will do op next: pending footprint */
    BPOR_EVENT_FINISHED = 3, /* thread ended */
    BPOR_EVENT_ENABLED = 4,  /* enabled threads 64.. of the next STEP (or of the end): access[i].object = word i+1 */
    BPOR_EVENT_TIMED =
        5, /* the next state is idle: `enabled` = threads enabled by their timeout alone (further words as above) */
    BPOR_EVENT_ACCESSES = 6, /* more accesses of the next STEP or PENDING */
    BPOR_EVENT_HELD = 7,     /* at the end of a described execution: thread holds access[0]; value = how often */
    BPOR_EVENT_OBJECT = 8,   /* described executions: access[0].object lies at address `value`; site = where it was allocated;
                                thread = on whose stack it lies */
    BPOR_EVENT_THREAD = 9,   /* described executions: thread was created by `target`, start routine = site */
    BPOR_EVENT_FRAME =
        10, /* described executions: the native stack of the next PENDING (or of the end), one frame each, innermost first: where
               it returns to, value = its stack pointer, enabled = rbx, access[].object = rbp, r12, r13.
               Then, with flags = 1, the words of the stack that point to heap memory: site = where, value = word */
    BPOR_EVENT_SCRIPT = 11,  /* described executions: the same in Python; site = where in scripts[] its "function file" begins,
                                value = line */
    BPOR_EVENT_STATE = 12,   /* BPOR_PLAN_IDENTIFY: the state that the next step leaves, or the last one: its identity is
                                site * 2^64 + value; 0: it has none */
    BPOR_EVENT_CHANGED = 13, /* plan.compare_every: since the last state that was compared, the word at address `site` has become
                                `value`, from `enabled`; of what thread, if it is a register or the like, else access[0].object is
                                its name; access[0].size = steps taken */
    BPOR_EVENT_OFFER = 14    /* the next STEP had `value` alternatives and took `target`; site = index + 1 of the step that stored
                                what an old read saw; 0: none did */
};

enum bpor_event_flags {
    BPOR_FLAG_YIELD = 1,     /* the step counts as a yield */
    BPOR_FLAG_CUT = 2,       /* leaving the thread after this step is free and ends its block (a yield always has it) */
    BPOR_FLAG_FAILED = 4,    /* a try that failed */
    BPOR_FLAG_TIMEOUT = 8,   /* STEP: it ended by its timeout; PENDING: it may do so in an idle state */
    BPOR_FLAG_INFERRED = 16, /* the yield was inferred, not written in the program */
    BPOR_FLAG_ORDER =
        32, /* PENDING, times 0: not an atomic access; 1..6: C11's order plus 1; 7: volatile, its value not known if written */
    BPOR_FLAG_CIRCLE = 32 /* STEP: a yield of a thread that was at this place before: the fair bound may keep it here */
};

struct bpor_event {
    uint8_t type;
    uint8_t op;
    uint8_t flags;
    uint8_t accesses; /* how many of access[] count */
    uint16_t thread;
    uint16_t target;  /* thread joined or created, or BPOR_NO_THREAD */
    uint64_t site;    /* return address of the call */
    uint64_t value;   /* result, or value read or written */
    uint64_t enabled; /* STEP: threads 0..63 enabled in the state before it */
    struct bpor_access access[3];
    uint64_t hash; /* STEP: of everything up to and including it; last, because all before it repeats in other executions */
};

/* ---- the end of an execution ---- */

enum bpor_outcome {
    BPOR_OUTCOME_NONE = 0, /* the child died without a word: look at its wait status */
    BPOR_OUTCOME_EXIT = 1, /* the process ended by itself; code = exit status */
    BPOR_OUTCOME_DEADLOCK = 2,
    BPOR_OUTCOME_ASSERTION = 3,
    BPOR_OUTCOME_CRASH = 4,     /* code = signal */
    BPOR_OUTCOME_TERMINATE = 5, /* std::terminate */
    BPOR_OUTCOME_MISUSE = 6,    /* of a primitive: unlock by a non-owner, ... */
    BPOR_OUTCOME_REFUSED = 7,   /* a call we do not control: message says which and the way out */
    BPOR_OUTCOME_WATCHDOG = 8,  /* no scheduling state for too long */
    BPOR_OUTCOME_STEP_LIMIT = 9,
    BPOR_OUTCOME_REDUNDANT = 10,  /* every enabled thread sleeps */
    BPOR_OUTCOME_OVER_BOUND = 11, /* no awake thread within the bound */
    BPOR_OUTCOME_DIVERGED = 12,   /* the prefix could not be followed; code = step */
    BPOR_OUTCOME_STOPPED = 13,    /* the controller said stop (ASK) or the plan's prefix was all that was wanted */
    BPOR_OUTCOME_OUTPUT_LIMIT = 14,
    BPOR_OUTCOME_INTERNAL = 15,
    BPOR_OUTCOME_MORE_SLOTS = 16, /* more threads than fibers: start again with a larger pool */
    BPOR_OUTCOME_NEEDS_FORK = 17, /* an effect outside memory, which rollback cannot undo; message says which */
    BPOR_OUTCOME_RACE = 18,       /* two accesses of `object`, one of them a write, in no order: by thread and other_thread */
    BPOR_OUTCOME_MEMORY = 19,     /* use after free, double free; other_thread freed it first */
    BPOR_OUTCOME_UNFIT = 20, /* too large for the search beside the program; message says what. The controller's own can go on */
    BPOR_OUTCOME_NONLINEARIZABLE = 21, /* results that no serial order of the operations gives; message says which */
    BPOR_OUTCOME_DAMAGED = 22,         /* the program wrote over the search beside it */
    BPOR_OUTCOME_NEEDS_EXEC = 23,      /* what the last execution did cannot be taken back; message says what */
    BPOR_OUTCOME_MATCHED = 24,         /* it came to a state whose future is known, or seems to be */
    BPOR_OUTCOME_ASSUMED = 25          /* an assumption of the test does not hold in it: it says nothing */
};

struct bpor_end {
    uint32_t outcome;
    int32_t code;
    uint32_t thread;      /* that ended it, or BPOR_NO_THREAD */
    uint32_t wait_status; /* of the child, as waitpid gave it */
    uint64_t steps;       /* steps taken, the prefix included */
    uint64_t enabled[4];  /* in the last state */
    uint64_t timed[4];    /* enabled there by timeout alone */
    uint64_t hash;        /* of the whole execution */
    uint64_t address;     /* of a fault */
    uint32_t preemptions;
    uint32_t threads;          /* created, main included */
    uint32_t refused_by_bound; /* states in which the bound refused an enabled thread */
    uint32_t frames;           /* of stack[] */
    uint32_t object_bytes;     /* of a race: the later access */
    uint32_t lost;             /* states in which the fair bound kept a thread from running that got on with something */
    uint64_t lost_at;          /* where the first such thread yielded */
    uint64_t counting_at;      /* likewise, where one was taken for waiting in a loop that only counts its rounds */
    uint32_t cycle_start;      /* of a probe: the step before which the last state was met for the first time ... */
    uint32_t cycle_length;     /* ... so many steps ago; 0: no state was met twice */
    uint64_t object;           /* canonical, of a race */
    uint32_t other_thread;     /* of a race or a memory error */
    uint32_t other_frames;     /* of other_stack[]; 0 unless described */
    uint64_t other_stack[64];
    uint64_t stack[64];
    char message[1024];
};

/* ---- the shared mapping ---- */

enum bpor_signal_choice { BPOR_SIGNAL_ANY = 0, BPOR_SIGNAL_FIFO = 1 };
enum bpor_timeouts { BPOR_TIMEOUTS_IDLE = 0, BPOR_TIMEOUTS_EXPLORE = 1 };
/* AUTO: sequentially consistent; whether C11 would offer anything else is noted (weak_offered). */
enum bpor_memory { BPOR_MEMORY_SC = 0, BPOR_MEMORY_TSO = 1, BPOR_MEMORY_C11 = 2, BPOR_MEMORY_AUTO = 3 };

/* What may go wrong where the test asks for it (runtime/injection.h): each kind so many times in one execution. */
enum bpor_fault_kind {
    BPOR_FAULT_MALLOC = 0,
    BPOR_FAULT_EINTR = 1,
    BPOR_FAULT_SHORT = 2,
    BPOR_FAULT_WEAK_CAS = 3,
    BPOR_FAULTS = 4
};
/* In the value of a step that chooses: what follows the value, a further digit, is still to be chosen. */
enum { BPOR_CHOOSES_ON = 1 << 30 };
enum bpor_offers { BPOR_OFFERS_INPUT = 1, BPOR_OFFERS_ASSUMPTION = 2, BPOR_OFFERS_FAULT = 4 };
/* Which call it was: the value of a step that may fail (bpor/model/fault.py has their names). */
enum bpor_fault_call {
    BPOR_CALL_MALLOC = 0,
    BPOR_CALL_CALLOC = 1,
    BPOR_CALL_REALLOC = 2,
    BPOR_CALL_ALIGNED_ALLOC = 3,
    BPOR_CALL_POSIX_MEMALIGN = 4,
    BPOR_CALL_NEW = 5,
    BPOR_CALL_READ = 6,
    BPOR_CALL_WRITE = 7,
    BPOR_CALL_RECV = 8,
    BPOR_CALL_SEND = 9,
    BPOR_CALL_SLEEP = 10,
    BPOR_CALL_SEM_WAIT = 11,
    BPOR_CALL_POLL = 12,
    BPOR_CALL_FUTEX = 13,
    BPOR_CALL_SHORT_READ = 14,
    BPOR_CALL_SHORT_WRITE = 15,
    BPOR_CALL_WEAK_CAS = 16
};
enum bpor_races { BPOR_RACES_REPORT = 0, BPOR_RACES_OFF = 1, BPOR_RACES_EXPLORE = 2 };
enum bpor_fork_at { BPOR_FORK_AT_MAIN = 0, BPOR_FORK_AT_FIRST_THREAD = 1, BPOR_FORK_AT_READY = 2 };

/* A Python interpreter's global lock: not looked for, one lock of the model, or simulated to be away. */
enum bpor_gil { BPOR_GIL_NONE = 0, BPOR_GIL_REAL = 1, BPOR_GIL_OFF = 2 };

/* Python containers that instrumented code reached through the C API. */
enum bpor_container {
    BPOR_CONTAINER_DICT = 1,
    BPOR_CONTAINER_LIST = 2,
    BPOR_CONTAINER_SET = 4,
    BPOR_CONTAINER_OBJECT = 8 /* items and attributes of an object of any type */
};

/* What libc and the kernel keep for all threads (process/process_state.h). */
enum bpor_process_state {
    BPOR_STATE_FILES = 1,
    BPOR_STATE_DIRECTORY = 2,
    BPOR_STATE_ENVIRONMENT = 4,
    BPOR_STATE_RANDOM = 8,
    BPOR_STATE_STATICS = 16,
    BPOR_STATE_WATCH = 256 /* tell what is shared */
};

enum bpor_carrier_kind { BPOR_CARRIER_THREADS = 0, BPOR_CARRIER_FIBERS = 1 };
enum bpor_reset { BPOR_RESET_FORK = 0, BPOR_RESET_ROLLBACK = 1, BPOR_RESET_EXEC = 2 /* one execution of each process */ };
enum bpor_need { BPOR_NEED_NOTHING = 0, BPOR_NEED_EXEC = 1, BPOR_NEED_CHANGE = 2 /* of the program: no reset is right */ };

/* Atomic accesses, or a fence, at one call site have another memory order than the program asks for. */
enum { BPOR_ORDERS = 64, BPOR_ORDER_KEPT = 255, BPOR_ORDER_NONE = 254 /* a fence that is not there */ };
struct bpor_order_at {
    uint64_t offset;  /* of the return address in its module */
    uint32_t order;   /* __ATOMIC_* */
    uint32_t failure; /* of a compare-exchange that fails */
    char module[112]; /* the last part of its path; empty: the main program */
};

/* Code whose inside is not explored (trust/trust.h): a piece of a module, or modules as a whole, by a name with `*` and `?`. */
enum { BPOR_TRUSTED = 256 };
struct bpor_trusted {
    uint64_t start; /* in its module */
    uint64_t end;   /* 0: all of it */
    uint32_t independent;
    char module[108]; /* the last part of its path; empty: the main program */
};

/* What the controller decides once per search; written before the target starts. */
struct bpor_config {
    uint32_t signal_choice;
    uint32_t timeouts;
    uint32_t spurious;
    uint32_t fork_at;
    uint32_t watchdog_ms;
    uint32_t output_limit_kib;
    uint32_t any_program;   /* control the first process that creates a thread, not only the program below */
    uint32_t aslr_off;      /* the launcher's answer: 1 if the kernel allowed it */
    uint32_t processors;    /* the launcher's answer: how many the target would have had */
    uint32_t carrier;       /* bpor_carrier_kind */
    uint32_t reset;         /* bpor_reset */
    uint32_t pool;          /* fibers that are ready before the first execution */
    uint32_t races;         /* bpor_races */
    uint32_t memory;        /* bpor_memory */
    uint32_t faults[4];     /* by bpor_fault_kind: how many are injected into one execution */
    uint32_t quarantine;    /* keep freed blocks for a while */
    uint32_t search_bytes;  /* of a struct bpor_search that follows the shared mapping, page aligned; 0: there is none */
    uint32_t bound_now;     /* the launcher's answer: LD_BIND_NOW is its doing */
    uint32_t gil;           /* bpor_gil */
    uint32_t unexplored;    /* executions begin outside of the explored region (bpor_python_region opens it) */
    uint32_t worker;        /* of several targets at once, each on a processor of its own: which, from 1; 0: there is only one */
    uint32_t stacks;        /* operations are told with the calls that they are made in */
    uint32_t process_state; /* bpor_process_state: whose uses are operations; 0: nobody looks */
    uint32_t family;     /* an execution is all processes, from the first to the last: the launcher waits for them and judges */
    uint32_t controller; /* its process id, and below what it has open there: a process that closed ours opens them again */
    uint32_t controller_shared;
    uint32_t controller_plan;
    uint32_t controller_events;
    uint32_t process; /* of those that make threads one after the other, from 1: which is controlled; 0: there is one only */
    uint64_t program_device;
    uint64_t program_inode;
    uint64_t seed;        /* for what the target asks of the system's random sources */
    char temporary[4096]; /* TMPDIR of each execution */
    char preload[4096];   /* the user's own LD_PRELOAD, put back in the target */
    char library[4096];   /* ours, for the programs that the target starts */
    char machine[4096];   /* a list of modules whose machine code is patched, and their blobs (csrc/machine); empty: none is */
    uint32_t visible_count;
    uint32_t polling_count;
    uint64_t polling[16]; /* call sites in loops that were seen to come back to their state: being there again is a yield */
    struct bpor_access visible[64]; /* BPOR_RACES_EXPLORE: plain accesses of these bytes are operations, not races */
    uint32_t order_count;
    struct bpor_order_at order[BPOR_ORDERS];
    uint32_t trusted_count;
    struct bpor_trusted trusted[BPOR_TRUSTED];
};

/* NEEDS_FORK, and a fork will not do: another process makes the threads, or may, because the call that is refused was made
 * where there were none. */
enum bpor_family_need { BPOR_FAMILY_NOT = 0, BPOR_FAMILY_NEEDED = 1, BPOR_FAMILY_PERHAPS = 2 };

/* A process beside the controlled one that does what only that one may. */
enum bpor_stranger_state { BPOR_STRANGER_NONE = 0, BPOR_STRANGER_COMES = 1, BPOR_STRANGER_THERE = 2 };
enum bpor_stranger_kind {
    BPOR_STRANGER_MAKES_THREADS = 0,
    BPOR_STRANGER_UNSEEN = 1, /* they were not made by pthread_create: it cannot be the target either */
    BPOR_STRANGER_FAILS = 2   /* its turn came to an end that is a bug, or that nobody can judge */
};

struct bpor_stranger {
    uint32_t state; /* bpor_stranger_state */
    uint32_t kind;  /* bpor_stranger_kind */
    char name[128];
    char deed[256]; /* "makes threads", how it came out of our sight, or how its turn ended */
};

/* Processes that make threads one after the other: one is controlled, the others run their first schedule. */
struct bpor_turns {
    uint32_t taken;
    uint32_t active; /* pid of the process whose turn it is; 0: it has ended in order */
    uint32_t failed; /* of the others, the first turn that ended with another status than 0; 0: none */
    uint32_t status; /* that one's */
    char active_name[128];
    char failed_name[128];
};

/* A program that was started by a process of ours; free again as soon as the runtime shows itself in it. */
enum { BPOR_STARTED = 64 };
struct bpor_started {
    uint32_t taken;
    char name[124];
};

enum bpor_past {
    BPOR_PAST_CLOCK = 1,      /* a clock was read, or a time of day was waited for */
    BPOR_PAST_EVERYTHING = 2, /* which accesses can decide a race changed too often: all of them count */
    BPOR_PAST_SHRINKS = 4,    /* a store hid what an older one had released to whoever reads there */
    BPOR_PAST_CHANGES = 8     /* and more: how often it changed which accesses can decide a race (race/sharing.c) */
};

struct bpor_shared {
    uint32_t magic;
    uint32_t version;
    uint32_t shared_bytes;
    uint32_t event_bytes;
    uint32_t claimed;        /* pid of the process that is controlled, 0 until there is one */
    uint32_t child;          /* pid of the running execution */
    uint32_t running;        /* kernel id of the thread that runs */
    uint32_t launch_errno;   /* the launcher could not start the program */
    uint64_t progress;       /* grows with every scheduling state: the watchdog's view */
    uint64_t batches;        /* halves of the event buffer handed over */
    uint64_t batches_read;   /* halves the controller has read */
    uint32_t events;         /* in the half being filled, which is number batches % 2 */
    uint32_t rolls_back;     /* the template's answer: rollback works here; else end.message says why not */
    uint32_t containers;     /* bpor_container, seen in the explored parts of all executions so far */
    uint32_t told;           /* instrumented code accessed memory in the explored part of some execution */
    uint32_t free_threaded;  /* the Python interpreter has no global lock */
    uint32_t segments;       /* this execution asked for System V shared memory */
    uint32_t became;         /* the process that had its turn has become another program */
    uint32_t needs;          /* bpor_need, the template's answer; end.message says why */
    uint32_t alone;          /* BPOR_RESET_EXEC: the template has let go of everything that it shared with the execution */
    uint32_t cut;            /* the outcome with which the watchdog's signal ends an execution; 0: it does not */
    uint64_t cut_at;         /* BPOR_OUTCOME_WATCHDOG: only at this progress */
    uint32_t excused;        /* something was not looked at because the program's annotations say so */
    uint32_t shared_state;   /* bpor_process_state that threads were seen to share in some execution */
    uint32_t made_code;      /* there is executable memory that no file was mapped to */
    uint32_t unloaded;       /* a module was loaded and is gone again, or did not fit into loaded[] */
    uint32_t first;          /* the process that was started, where the launcher stays beside it */
    uint32_t watcher;        /* whoever waits for the end of the execution: told of a stranger by SIGCHLD */
    uint32_t threads_made;   /* the running execution has created a thread */
    uint32_t needs_family;   /* bpor_family_need */
    uint32_t has_children;   /* the fork point lies behind processes that every execution would need again */
    uint32_t started_unseen; /* programs were started for which there was no room in started[] */
    uint32_t past_read;      /* bpor_past: what some thread of some execution has asked for, so that it is a part of identities */
    uint32_t looked;         /* a probe: identities that it took */
    uint32_t weak_offered;   /* some load of some execution was offered an old store */
    uint32_t weak_dropped;   /* not all that the memory model allows was offered: a table was full */
    uint32_t weak_kept;      /* what weaker memory would offer was looked at, in every execution from its beginning */
    uint32_t unlooked_at;    /* the next execution that comes to its end is the first with its input */
    uint32_t faults_met;     /* mask of bpor_fault_kind: some call of some execution might have failed so */
    uint32_t faults_refused; /* likewise, and did not, because so many had failed before */
    uint32_t offers;         /* bpor_offers: what steps of any execution had beside going on */
    char claimed_name[128];  /* of the process that is controlled, and the path of its program */
    char claimed_path[4096];
    struct bpor_stranger stranger;
    struct bpor_turns turns;
    struct bpor_started started[64];
    char unidentified[256]; /* BPOR_PLAN_IDENTIFY: why a state of this execution has no identity; empty: all have one */
    char attached[4096];    /* paths of the instrumented modules that attached before the fork point, one per line */
    char loaded[16384];     /* paths of the modules that were ever loaded in the controlled process, one per line */
    char machine[16384];    /* of config.machine: paths of the modules that were patched, or a tab behind it and why not, one per
                               line */
    struct bpor_config config;
    struct bpor_end end;
    char modules[65536];            /* described executions: lines "base path" */
    char scripts[65536];            /* described executions: lines "function file" of Python frames */
    struct bpor_event event[32768]; /* two halves */
};

/* ---- messages over the pipes ---- */

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

/* ---- the search beside the program: a second mapping, right behind struct bpor_shared, that outlives the target ---- */

enum {
    BPOR_TREES = 2,               /* that may take turns, execution by execution */
    BPOR_TREE_THREADS = 64,       /* per execution: one word of a mask */
    BPOR_TREE_DEPTH = 262144,     /* steps on the stack of a tree */
    BPOR_TREE_BYTES = 0x40000000, /* of each tree, sparse */
    BPOR_LOG_EVENTS = 1048576,    /* of one execution, without its replayed prefix */
    BPOR_DISTINCT_BITS = 22,      /* slots of the largest table of hashes */
    BPOR_DISTINCT_SLOTS = 4194304,
    BPOR_DISTINCT_CAP = 1048576, /* hashes kept in it when it is thinned out */
    BPOR_INFERRED_SITES = 1024,
    BPOR_HANDED_WORDS = 262144, /* of the sleepers that a subtree begins with, and of its first watch */
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
    BPOR_TREE_BEST_FIRST = 8192    /* open choices are taken by their priorities; not in parts, and states are not recognised */
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
    uint32_t match_limit;  /* states whose futures are known, at most; 0: as many as there is room for */
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
    uint32_t flags; /* bpor_order_flags */
    uint32_t distinct_cap;
    uint32_t milliseconds; /* at most, but for the execution that runs */
    uint64_t executions;   /* at most */
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
    BPOR_STOP_NAMES = 7         /* best-first search waits for the marks of search.names */
};

struct bpor_answer {
    uint32_t stop;       /* bpor_answer_stop */
    uint32_t tree;       /* of the last execution, or the one that is finished */
    uint64_t executions; /* since the order was given: the controller sets 0 before */
    int64_t lead;        /* executions of tree 0 minus those of tree 1; the controller sets it before */
    uint64_t first;      /* NOTABLE: the steps before it were replayed */
    uint64_t saved;      /* words */
    uint32_t outcome;    /* NOTABLE: how it ended, as in ended[] */
    uint32_t orders;     /* mask of the memory orders seen (BPOR_FLAG_ORDER), of the whole search */
    uint32_t records;    /* likewise */
    uint32_t inferred;   /* sites of yields that the program does not write, of the whole search */
    uint64_t site[1024];
};

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
    uint32_t running;      /* chosen, and nothing is learned of it yet */
    uint32_t learning;     /* the tree is being changed: if the target died here it is lost */
    uint32_t exceeded;     /* below the last state that belongs to somebody else, the bound refused a thread */
    uint32_t leads;        /* the stack is not that of the bounded search, which has not begun */
    uint32_t longest;      /* execution that was drawn, in steps */
    uint32_t nodes;        /* states that best-first search keeps ... */
    uint32_t most_nodes;   /* ... and kept at most */
    uint32_t alternatives; /* of the choice that leads from there to what is searched ... */
    uint32_t refuses;      /* ... and the bound refused others */
    uint32_t root;         /* states at the bottom of the stack that belong to somebody else; the controller may raise it */
    uint64_t states;       /* distinct ones, where they are recognised */
    uint64_t unidentified; /* states that nobody could tell apart, or that there was no room for: then nothing is known of
                              endless schedules */
    uint64_t refused;      /* states at which the bound refused a thread that the search wanted */
    uint64_t contradicted; /* a thread did something else than its causal past had told, at this step, counted from 1: the tree
                              was begun anew, without known steps. 0: never */
    uint64_t contradicted_site; /* the operation after which it did; 0: not known */
    uint64_t depth;             /* steps on the stack */
    double low;                 /* estimates of the executions it takes altogether */
    double expected;
    double high;
    struct bpor_tally tally;
    uint16_t schedule[262144];
    struct bpor_wanted wanted[262144]; /* of the first `root` */
    uint64_t handed[262144]; /* who sleeps where a subtree begins; then the watch of its first choice, as save.c writes it */
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

struct bpor_search {
    uint32_t stop_now;  /* the controller's wish */
    uint32_t exploring; /* an order is being carried out */
    uint32_t untold;    /* an answer is ready, and END was not sent */
    uint32_t sealed;    /* trees with a checksum, taken before the execution that runs */
    uint64_t era;       /* processes that have carried out orders: identities of different ones say nothing of each other */
    uint64_t counts_seal;
    uint64_t log_seal[2]; /* of the events in the log, when their number is even, when it is odd */
    struct bpor_order order;
    struct bpor_answer answer;
    struct bpor_tally total;
    struct bpor_tree_facts tree[2];
    struct bpor_names names;
    struct bpor_record record[65536];
    struct bpor_event log[1048576];
    uint8_t stack[2][0x40000000]; /* the trees themselves; only the target looks into them */
};
/* cffi: end */
#endif
