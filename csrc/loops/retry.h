/* Rounds of a loop that looks again until it finds what it needs (--retries=last).
 *
 * A thread that loads, or compares in vain, and looks at the same place again later has made its first look for nothing, if with
 * what it sees now it would stand where it stands now: whatever follows also follows an execution in which it looked once, later
 * (docs/algorithm.md, section 8). It then goes no further, as at an assumption that does not hold. That is a program with fewer
 * executions; the search itself does not know of it. */
#ifndef BPOR_RETRY_H
#define BPOR_RETRY_H
#include "memory/memory.h"

void bpor_retry_reserve(void);
/* The thread is about to make this access: ends here, if its last looks were for nothing. */
void bpor_retry_announced(const struct memory_access *access, const void *site);
/* It has made it. */
void bpor_retry_performed(const struct memory_access *access, const void *site);
/* The running thread accesses memory plainly. */
void bpor_retry_plain(const struct thread *thread, uintptr_t address, size_t bytes, bool write);
/* Is each of its plain accesses of interest, the first one of each place at least? */
bool bpor_retry_watches(const struct thread *thread);
/* Before each execution; 0 if all looks count. Another number than before: something is known now that makes more looks count, so
 * that the search has to begin anew. */
uint32_t bpor_retry_phase(void);
#endif
