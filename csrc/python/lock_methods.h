/* Methods of Python's own lock types. Since 3.13 a Lock is a PyMutex, and since 3.14 an RLock too: the interpreter takes one that
 * is free by an instruction of its own, which nobody sees. So the methods are operations. Before, these locks are semaphores,
 * which are. */
#ifndef BPOR_LOCK_METHODS_H
#define BPOR_LOCK_METHODS_H
#include <stdbool.h>
#include <stdint.h>

enum lock_method { LOCK_METHOD_NONE, LOCK_METHOD_ACQUIRE, LOCK_METHOD_RELEASE, LOCK_METHOD_LOOK };

/* From a lock of the type that is held. */
bool bpor_lock_methods_are_unseen(uintptr_t held);
enum lock_method bpor_lock_method(const char *name);
/* The step before one is called; a thread that has to wait then waits inside the interpreter, at a semaphore. */
void bpor_lock_method_step(enum lock_method method, uintptr_t lock, const void *site);
#endif
