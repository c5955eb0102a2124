/* Functions of extensions that the interpreter has called, and Python's code that they call in turn. A function that calls
 * another one does not come by the interpreter's loop: nobody takes the lock from it there. But Python's code begins with a look
 * at whether others want it, so what an extension has read before it called may be stale afterwards. */
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
