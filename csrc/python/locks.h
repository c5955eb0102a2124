/* The interpreter's own kind of lock (PyMutex): a byte, in an extension's memory or in every object of a free-threaded build.
 *
 * The truth lies in the byte, which code of the extension may change inline, by atomic accesses that are operations already. What
 * is seen here is what it calls: waiting for a mutex, and critical sections, which hold the mutexes of one or two objects and
 * give them up while their thread waits for another lock or is detached. */
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

/* At the fork point: instrumented modules take the interpreter's locks through us from now on. */
void bpor_locks_watch(void);
struct object *bpor_python_lock(const uint8_t *byte);
/* Puts what we know of the holder in step with the byte itself. */
void bpor_python_lock_reconcile(struct object *object);
/* Does the interpreter yield a few times before it parks its thread? Parking is seen, so these are no operations. */
bool bpor_interpreter_spins(const void *site);
#endif
