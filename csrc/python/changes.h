/* Places from which an extension loads pointers to objects, and which the interpreter changes: a member that Python's code sets,
 * an item of a list, the referent of a weak reference, a cell. No instrumented code writes there, so such a place is known by
 * having changed. It becomes an operation, as one that races does. */
#ifndef BPOR_CHANGES_H
#define BPOR_CHANGES_H
#include <stdint.h>

/* The running thread is about to read a word. */
void bpor_change_read(uintptr_t place);
/* It is about to write it, which is seen for what it is. */
void bpor_change_written(uintptr_t place);
/* Has any of those that were read changed? Asked when a thread ends, or the explored region. */
void bpor_changes_look(void);
#endif
