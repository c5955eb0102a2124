/* The interpreter's own kind of lock (PyMutex): a byte, in an extension's memory or in every object of a free-threaded build.
 *
 * The truth lies in the byte, which code of the extension may change inline, by atomic accesses that are operations already. What
 * is seen here is what it calls: waiting for a mutex, and critical sections (sections.c), which hold the mutexes of one or two
 * objects and give them up while their thread waits for another lock or is detached. */
#ifndef BPOR_PYTHON_LOCKS_H
#define BPOR_PYTHON_LOCKS_H
#include "runtime/objects.h"

enum { MOST_BYTES = 16 };

/* One operation on such locks, on the stack of the thread that does it. */
struct lock_call {
    unsigned wanted;
    unsigned count; /* those after the wanted ones are held, and given up if these are not to be had at once */
    uint8_t *byte[MOST_BYTES];
};

/* The interpreter's own functions. */
extern struct interpreter {
    void (*lock)(uint8_t *mutex);
    void (*unlock)(uint8_t *mutex);
    void *(*save)(void);
    void (*restore)(void *state);
    void *(*state)(void); /* NULL: this thread is not attached */
} bpor_interpreter;

/* At the fork point: instrumented modules take the interpreter's locks through us from now on. */
void bpor_locks_watch(void);
void bpor_lock_add(struct lock_call *call, uint8_t *byte);
/* False: a try in vain. */
bool bpor_lock_step(enum operation_kind kind, struct lock_call *call, const void *site);
/* One try for the wanted locks. False: they are not all free, and the thread's sections are suspended. */
bool bpor_lock_try(const struct lock_call *wanted, const void *site);
/* All of them, when they are free. */
void bpor_lock_wait(struct lock_call *wanted, const void *site);

/* sections.c */
void bpor_sections_watch(void);
bool bpor_sections_any(void);
/* The locks that the running thread loses when it is detached, and those that it needs to be attached again. */
void bpor_sections_add_active(struct lock_call *call);
void bpor_sections_add_innermost(struct lock_call *call);

/* model/python_lock.c */
struct object *bpor_python_lock(const uint8_t *byte);
/* Puts what we know of the holder in step with the byte itself. */
void bpor_python_lock_reconcile(struct object *object);

/* Does the interpreter yield a few times before it parks its thread? Parking is seen, so these are no operations. */
bool bpor_interpreter_spins(const void *site);
#endif
