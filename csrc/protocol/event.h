/* Events: what the target tells the controller, in the shared mapping. A part of protocol.h. */
#ifndef BPOR_PROTOCOL_EVENT_H
#define BPOR_PROTOCOL_EVENT_H
#include "protocol/access.h"
#include <stdint.h>
/* cffi: begin */

/* A choice of a schedule is a thread, and the alternative it takes times this. */
enum { BPOR_ALTERNATIVE = 1 << 10 };

enum bpor_event_type {
    BPOR_EVENT_STEP = 1,     /* thread did op: executed footprint, value, enabled threads before it */
    BPOR_EVENT_PENDING = 2,  /* thread will do op next: pending footprint */
    BPOR_EVENT_FINISHED = 3, /* thread ended */
    BPOR_EVENT_ENABLED = 4,  /* enabled threads 64.. of the next STEP (or of the end): access[i].object = word value + i; as many
                                events as it takes */
    BPOR_EVENT_TIMED =
        5, /* the next state is idle: `enabled` = threads enabled by their timeout alone (further words as above) */
    BPOR_EVENT_ACCESSES = 6, /* more accesses of the next STEP or PENDING */
    BPOR_EVENT_HELD = 7,     /* at the end of a described execution: thread holds access[0]; value = how often */
    BPOR_EVENT_OBJECT = 8,   /* described executions: access[0].object lies at address `value`; site = where it was allocated;
                                thread = on whose stack it lies. With flags = 1: its kind and
                                name begin at `site` of scripts[] */
    BPOR_EVENT_THREAD = 9,   /* described executions: thread was created by `target`, start routine = site */
    BPOR_EVENT_FRAME = 10,   /* described executions: the native stack of the next PENDING (or of the end), one frame each,
                                innermost first: where it returns to, value = its stack pointer, enabled = rbx, access[] =
                                rbp and r14, r12 and r15, r13. Then, with flags = 1, the words of the stack and of static variables
                                that point to the heap or to a stack: site = where, value = word */
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
/* cffi: end */
#endif
