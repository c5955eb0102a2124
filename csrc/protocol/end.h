/* How an execution ended. A part of protocol.h. */
#ifndef BPOR_PROTOCOL_END_H
#define BPOR_PROTOCOL_END_H
#include <stdint.h>
/* cffi: begin */

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
    uint64_t enabled[16]; /* in the last state */
    uint64_t timed[16];   /* enabled there by timeout alone */
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
    uint64_t site;             /* likewise: behind the instruction of machine code that made the later access; 0: another did */
    uint64_t other_site;       /* likewise of the earlier one, by any code, if it is plain; 0 unless described */
    uint32_t other_thread;     /* of a race or a memory error */
    uint32_t other_frames;     /* of other_stack[]; 0 unless described */
    uint64_t other_stack[64];
    uint64_t stack[64];
    char message[1024];
};
/* cffi: end */
#endif
