/* What the runtime knows of Python's objects without being the interpreter. */
#ifndef BPOR_PYTHON_OBJECTS_H
#define BPOR_PYTHON_OBJECTS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --gil off: accesses that are no races of the extension. Reference counts are atomic in a free-threaded build, and the
 * interpreter's own data (None, its types) is the interpreter's business. */
bool bpor_python_owns(uintptr_t address, size_t bytes);
/* Is this return address the interpreter's? */
bool bpor_python_calls(const void *site);
#endif
