/* Where a thread can be left although it has the global lock: CPython hands it over between two bytecodes. Between which of them
 * does not matter unless others can see what was done before. So the lock is offered before every call, out of Python's code, of
 * a function of an instrumented module and of a method of the interpreter's own locks (lock_methods.h). */
#ifndef BPOR_SWITCHES_H
#define BPOR_SWITCHES_H

#include "runtime/runtime.h"

/* A thread is about to enter an instrumented function, called from there. */
void bpor_switch_entered(const struct thread *thread, const void *caller);
/* Python's code that an extension calls begins and ends. True: between the last thing that it did and its end CPython would have
 * handed the lock over. */
void bpor_switch_begin(void);
bool bpor_switch_end(void);
/* The running thread has taken the lock. */
void bpor_switch_taken(void);
#endif
