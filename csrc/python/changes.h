/* Places that an extension uses and the interpreter changes: a member that Python's code sets, be it an object or a number, an
 * item of a list, the referent of a weak reference, a cell, bytes of a buffer. The interpreter's writes are not seen, so such a
 * place is known by having changed. It becomes an operation, as one that races does. */
#ifndef BPOR_CHANGES_H
#define BPOR_CHANGES_H
#include <stdbool.h>
#include <stdint.h>

/* Is any such place known? */
extern bool bpor_changes_any;
/* The running thread is about to read a word, or a part of it. */
void bpor_change_read(uintptr_t place, bool whole);
/* It is about to write there, which is seen for what it is. */
void bpor_change_written(uintptr_t place);
/* The running thread is left: what it has changed itself, by Python's code, tells nothing of others. When it goes on, what has
 * changed meanwhile does. */
void bpor_changes_leave(void);
void bpor_changes_return(void);
/* A thread ends, or the explored region: has anything changed that others have read? */
void bpor_changes_look(void);
#endif
