/* Memory of the runtime, outside the target's allocator: it is reserved before main, between guard pages, and costs pages only
 * when it is used. */
#ifndef BPOR_RESERVE_H
#define BPOR_RESERVE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* State of an execution: goes back to what it was when the execution is reset. */
void *bpor_reserve(size_t bytes);
/* Outlives executions: rollback leaves it alone. */
void *bpor_reserve_kept(size_t bytes);
/* The same in a process that may never be controlled, which a lack of room must not end: NULL then. */
void *bpor_reserve_kept_early(size_t bytes);
/* The same at this place, which the caller knows to be free; false: it is not, or there is no room. */
bool bpor_reserve_kept_at(uintptr_t start, size_t bytes);
/* From now on one that is kept is also kept by the processes that are made by a fork. False: there is no room. */
bool bpor_reserve_share(void *start, size_t bytes);
bool bpor_is_kept(uintptr_t start);
/* Does a mapping begin here that is one of either kind? */
bool bpor_is_reserved(uintptr_t start);
#endif
