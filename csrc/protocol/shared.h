/* The mapping that controller, launcher and target share. A part of protocol.h. */
#ifndef BPOR_PROTOCOL_SHARED_H
#define BPOR_PROTOCOL_SHARED_H
#include "protocol/config.h"
#include "protocol/end.h"
#include "protocol/event.h"
#include <stdint.h>
/* cffi: begin */

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

/* Was an access or a fence weaker than seq_cst in some execution? NOW: in the one that was ended for it. */
enum bpor_weaker { BPOR_WEAKER_NEVER = 0, BPOR_WEAKER_NOW = 1, BPOR_WEAKER_MET = 2 };

/* Looks at the process at the end of an execution: its threads, its executable memory. */
enum bpor_look {
    BPOR_LOOK_NEVER,
    BPOR_LOOK_DUE, /* at the next execution that comes to its end: the first with its input */
    BPOR_LOOK_TAKEN
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
    uint32_t weaker;         /* bpor_weaker */
    uint32_t look;           /* bpor_look */
    uint32_t faults_met;     /* mask of bpor_fault_kind: some call of some execution might have failed so */
    uint32_t faults_refused; /* likewise, and did not, because so many had failed before */
    uint64_t interchanged[16]; /* threads of any execution that were taken as interchangeable: masks */
    uint32_t offers;           /* bpor_offers: what steps of any execution had beside going on */
    char claimed_name[128];    /* of the process that is controlled, and the path of its program */
    char claimed_path[4096];
    struct bpor_stranger stranger;
    struct bpor_turns turns;
    struct bpor_started started[64];
    char unidentified[256]; /* BPOR_PLAN_IDENTIFY: why a state of this execution has no identity; empty: all have one */
    char attached[4096];    /* paths of the instrumented modules that attached before the fork point, one per line */
    char loaded[16384];     /* paths of the modules that were ever loaded in the controlled process, one per line */
    char asked[65536];      /* config.asks: names of files that were asked for (process/asked.c) */
    uint32_t asked_more;    /* there are names that did not fit */
    char untold[2048];      /* what threads may have told each other unexplored, one per line (process/untold.c) */
    char machine[16384];    /* of config.machine: paths of the modules that were patched, or a tab behind it and why not, one per
                               line */
    struct bpor_config config;
    struct bpor_end end;
    char modules[65536];            /* described executions: lines "base path" */
    char scripts[65536];            /* described executions: lines "function file" of Python frames, and names of objects */
    struct bpor_event event[32768]; /* two halves */
};
/* cffi: end */
#endif
