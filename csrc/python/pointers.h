/* Functions of the interpreter that an extension calls by a pointer: from a slot of a type, or kept since it looked one up, as
 * Cython does. Such a call does not go through a slot that we have redirected, so it is no step. The verdict says that there are
 * such calls. */
#ifndef BPOR_POINTERS_H
#define BPOR_POINTERS_H
#include <stdint.h>

/* Looks symbols up, once. */
void bpor_pointers_find(void);
/* Instrumented code is about to read the word there. */
void bpor_pointer_read(uintptr_t address);
#endif
