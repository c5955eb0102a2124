/* New memory, as the guard of rollback sees it: what an execution maps and how far its heap grows, all gone when it is undone. */
#ifndef BPOR_GUARD_MEMORY_H
#define BPOR_GUARD_MEMORY_H
#include "state/digest.h"
#include <stdbool.h>
#include <stddef.h>

void bpor_guard_memory_reserve(void);
/* May the call be made? Mapping anonymous memory, more heap, and whatever is done with memory that is new. */
bool bpor_guard_allows_memory(long number, const long *argument);
/* Makes it. */
long bpor_guard_call_memory(long number, const long *argument);
/* A mapping was made. */
void bpor_guard_memory_mapped(uintptr_t start, size_t bytes, int protection);
void bpor_guard_memory_undo(void);
/* But for the heap. */
bool bpor_guard_memory_is_clean(void);
/* Which mappings there are, and where the heap ends. */
void bpor_guard_memory_digest(struct digest *set);
#endif
