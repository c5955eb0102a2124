/* What the controller decides once per search. A part of protocol.h. */
#ifndef BPOR_PROTOCOL_CONFIG_H
#define BPOR_PROTOCOL_CONFIG_H
#include "protocol/access.h"
#include <stdint.h>
/* cffi: begin */

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

/* May executions begin at states on the way of earlier ones? Always: at all that can be such a state, for tests. */
enum bpor_checkpoints { BPOR_CHECKPOINTS_OFF = 0, BPOR_CHECKPOINTS_ON = 1, BPOR_CHECKPOINTS_ALWAYS = 2 };

/* Which threads of one creator, with the same function, are interchangeable (runtime/kin.h)? */
enum bpor_symmetry { BPOR_SYMMETRY_OFF = 0, BPOR_SYMMETRY_SAME = 1 /* argument */, BPOR_SYMMETRY_ANY = 2 /* argument */ };

/* Of a thread that looks again until it finds what it needs: every look, or only those after which nobody made it look again
 * (loops/retry.h). */
enum bpor_retries { BPOR_RETRIES_ALL = 0, BPOR_RETRIES_LAST = 1 };

/* A Python interpreter's global lock: not looked for, one lock of the model, or simulated to be away. */
enum bpor_gil { BPOR_GIL_NONE = 0, BPOR_GIL_REAL = 1, BPOR_GIL_OFF = 2 };

/* Python containers that instrumented code reached through the C API. */
enum bpor_container {
    BPOR_CONTAINER_DICT = 1,
    BPOR_CONTAINER_LIST = 2,
    BPOR_CONTAINER_SET = 4,
    BPOR_CONTAINER_OBJECT = 8,  /* items and attributes of an object of any type */
    BPOR_CONTAINER_POINTER = 16 /* none: it loaded the address of a function that reaches them unseen (python/pointers.h) */
};

/* What libc and the kernel keep for all threads (process/process_state.h). */
enum bpor_process_state {
    BPOR_STATE_FILES = 1,
    BPOR_STATE_DIRECTORY = 2,
    BPOR_STATE_ENVIRONMENT = 4,
    BPOR_STATE_RANDOM = 8,
    BPOR_STATE_STATICS = 16,
    BPOR_STATE_STREAMS = 32,
    BPOR_STATE_DESCRIPTORS = 64,
    BPOR_STATE_SETTINGS = 128,
    BPOR_STATE_NUMBERS = 256,
    BPOR_STATE_WATCH = 512 /* tell what is shared */
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
    uint32_t processors;    /* that the target is told; 0: the launcher writes how many it would have had */
    uint32_t carrier;       /* bpor_carrier_kind */
    uint32_t reset;         /* bpor_reset */
    uint32_t pool;          /* fibers that are ready before the first execution */
    uint32_t races;         /* bpor_races */
    uint32_t memory;        /* bpor_memory */
    uint32_t faults[4];     /* by bpor_fault_kind: how many are injected into one execution */
    uint32_t quarantine;    /* keep freed blocks for a while */
    uint32_t checkpoints;   /* bpor_checkpoints */
    uint64_t search_bytes;  /* of a struct bpor_search that follows the shared mapping, page aligned; 0: there is none */
    uint32_t bound_now;     /* the launcher's answer: LD_BIND_NOW is its doing */
    uint32_t gil;           /* bpor_gil */
    uint32_t unexplored;    /* executions begin outside of the explored region (bpor_python_region opens it) */
    uint32_t worker;        /* of several targets at once, each on a processor of its own: which, from 1; 0: there is only one */
    uint32_t symmetry;      /* bpor_symmetry */
    uint32_t retries;       /* bpor_retries */
    uint32_t asks;          /* names of files that are asked for are listed */
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
/* cffi: end */
#endif
