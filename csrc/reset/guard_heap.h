/* The heap that an execution adds by brk. What one execution had is kept for the next, empty and out of its reach until it asks
 * for as much: the kernel would otherwise take away and bring back every page, at more than half a microsecond each. */
#ifndef BPOR_GUARD_HEAP_H
#define BPOR_GUARD_HEAP_H
#include <stdbool.h>
#include <stdint.h>

void bpor_guard_heap_reserve(void);
/* In a new process: the template may have moved the end since. */
void bpor_guard_heap_look(void);
/* What lay in less heap than at the fork point would have to come back. */
bool bpor_guard_heap_allows(uintptr_t end);
/* brk, as the program sees it. */
long bpor_guard_heap_move(uintptr_t end);
void bpor_guard_heap_undo(void);
/* An execution begins with what is its own now: the rest of what was kept is out of its reach from here on. */
void bpor_guard_heap_close(void);
/* What the execution has added, so far. */
uintptr_t bpor_guard_heap_start(void);
uintptr_t bpor_guard_heap_end(void);
#endif
