/* Functions of extensions that the interpreter has called, and Python's code that they call in turn. An extension function that
 * calls another one does not pass through the interpreter's evaluation loop, so no other thread can take the lock there. But
 * Python code checks at its beginning whether another thread wants the lock, so what an extension has read before such a call may
 * be stale after it. */
#ifndef BPOR_ENTRIES_H
#define BPOR_ENTRIES_H
#include "runtime/runtime.h"

/* A thread has entered an instrumented function, called from there. */
void bpor_entry_note(struct thread *thread, const void *caller);
/* Where in Python the interpreter called the function that it is in; NULL: it did not. */
void *bpor_entry_frame(const struct thread *thread);
/* Where in Python the running thread is; NULL: nowhere. */
void *bpor_entry_current(void);
/* At the fork point. */
void bpor_entries_watch(void);
#endif
