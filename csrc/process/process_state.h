/* State that libc or the kernel keeps for the whole process: files, the working directory, the environment, the sequence of rand,
 * the static data of calls like strtok, streams, descriptors, settings. Threads can communicate through it without any lock that
 * we see.
 *
 * At first the runtime only records which thread uses which piece, which costs nothing. When two threads use the same piece and
 * one of them changes it, the controller is told and starts the search again, with every use of that class as an operation on one
 * object (`--process-state`). */
#ifndef BPOR_PROCESS_STATE_H
#define BPOR_PROCESS_STATE_H
#include <stdbool.h>
#include <stdint.h>

enum process_state {
    STATE_FILES,
    STATE_DIRECTORY,
    STATE_ENVIRONMENT,
    STATE_RANDOM,
    STATE_STATICS,
    STATE_STREAMS,     /* of stdio: what is buffered, and where the next call reads or writes */
    STATE_DESCRIPTORS, /* where they lead, their flags and options, locks of files */
    STATE_SETTINGS,    /* of the process: its mask of modes, limits, signal handlers, exit functions, children */
    STATE_NUMBERS,     /* that descriptors get: the lowest that is free. They matter once one is used that leads nowhere */
    STATE_COUNT
};
/* Pieces of STATE_SETTINGS: handlers by their signal, then those of settings.c, the numbers of thread keys, loaded modules,
 * mappings, whether the process may be looked into, how threads are scheduled, created and detached, where logs and texts go,
 * what C++ calls when it gives up, names of sockets, and names by their thread. */
enum {
    SIGNAL_SETTINGS = 128,
    THREAD_KEYS = 256,
    LOADED_MODULES,
    ADDRESS_SPACE,
    DUMPABLE,
    SCHEDULING,
    THREAD_DEFAULTS,
    DETACHED_THREADS,
    LOG_SETTINGS,
    TEXT_DOMAINS,
    HANDLERS_OF_CPP,
    DEFAULT_RESOURCE, /* of std::pmr */
    ADDRESSES_OF_SOCKETS,
    HEAP_SETTINGS,
    ALARM,
    PENDING_SIGNALS, /* of the process */
    THREAD_NAMES = 1024
};
enum state_access { LOOKS = 1, CHANGES = 2 };

void bpor_process_state_reserve(void);
/* Is anybody interested in what this thread does next? */
bool bpor_process_state_matters(void);
/* And are there threads that have not been joined? */
bool bpor_process_state_meets_others(void);
/* Are its uses noted? Not once they are operations. */
bool bpor_state_watched(enum process_state state);
/* A use of one piece: while watching it is noted; `bpor_state_step` is what makes a step of it. */
void bpor_state_note(enum process_state state, uint64_t piece, unsigned access);
/* Have several threads used it while they were noted? */
bool bpor_state_has_company(enum process_state state, uint64_t piece);
void bpor_state_step(enum process_state state, unsigned access, const void *site);
/* One step for a call that uses two. */
struct state_use {
    enum process_state state;
    unsigned access;
};
void bpor_states_step(struct state_use one, struct state_use other, const void *site);
/* A call of libc is an operation on memory, or on such state. One that is both is two operations, though what it does is done in
 * the second: that is said by the verdict. */
enum call_touches { TOUCHES_MEMORY = 1, TOUCHES_STATE = 2 };
void bpor_call_touches(enum call_touches what, const void *site);
bool bpor_states_explored(void);
/* What a step does to the numbers of descriptors belongs to it. */
struct operation;
void bpor_numbers_touch(struct operation *op);
/* And what it does to another piece, which is noted as well. */
void bpor_piece_touch(struct operation *op, enum process_state state, uint64_t piece, unsigned access);
/* Both, of one piece; and for state that is one piece. */
void bpor_piece_use(enum process_state state, uint64_t piece, unsigned access, const void *site);
void bpor_state_use(enum process_state state, unsigned access, const void *site);
#endif
