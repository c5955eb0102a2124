/* Functions of the interpreter that an extension calls by a pointer: from a slot of a type, or kept since it looked one up, as
 * Cython does. No slot of the extension leads to us then, so such a call is no step; that there are any is told. */
#ifndef BPOR_POINTERS_H
#define BPOR_POINTERS_H
#include <stdint.h>

/* Looks symbols up, once. */
void bpor_pointers_find(void);
/* Instrumented code is about to read the word there. */
void bpor_pointer_read(uintptr_t address);
#endif
