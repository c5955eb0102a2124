/* Steps that cannot be performed at the place of the call. They are performed before the thread's next operation. */
#ifndef BPOR_LATE_H
#define BPOR_LATE_H
#include "runtime/runtime.h"

/* AddressSanitizer's pthread_create and pthread_detach (gcc 14, clang 17 and later) hold a lock of its own while they call ours,
 * and every thread takes it where it begins and where it ends: whoever ran meanwhile would wait for it out of our sight. */
bool bpor_late_needed(void);
/* The calling thread's, about `target`. */
void bpor_late_add(enum operation_kind kind, const struct thread *target, const void *site);
/* Performs the late steps of the calling thread in their order. Only code without scheduling points has run between the call and
 * here. */
void bpor_late_make(void);
#endif
