/* What the runtime knows of Python's objects without being the interpreter. */
#ifndef BPOR_PYTHON_OBJECTS_H
#define BPOR_PYTHON_OBJECTS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Without the global lock: accesses that are no races of the extension. Reference counts are atomic in a free-threaded build, and
 * the interpreter's own data (None, its types) is the interpreter's business. */
bool bpor_python_owns(uintptr_t address, size_t bytes);
/* Is there an object at this address? Anything may stand there. */
bool bpor_python_is_object(uintptr_t address);
/* What stands there; false: nothing does. */
bool bpor_python_word(uintptr_t address, uintptr_t *word);
bool bpor_python_words(uintptr_t address, uintptr_t *into, size_t count);
/* Is this return address the interpreter's? */
bool bpor_python_calls(const void *site);
/* Where in its code; 0: it is not. */
uintptr_t bpor_python_offset(const void *site);
/* Is it code or data of the interpreter? */
bool bpor_in_interpreter(uintptr_t address);
struct memory_access;
/* Atomic accesses that a free-threaded interpreter's headers put into the extension: its references, and the interpreter's data.
 */
bool bpor_python_minds(const struct memory_access *access);
#endif
