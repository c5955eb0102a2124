/* The guard of rollback: sees every system call of the target (Syscall User Dispatch) and lets through what memory rollback can
 * undo or what has no effect; anything else ends the execution as NEEDS_FORK. */
#ifndef BPOR_GUARD_H
#define BPOR_GUARD_H
#include "state/digest.h"
#include <stdbool.h>
#include <stddef.h>

/* Why it cannot work here, or NULL. */
const char *bpor_guard_arm(void);
void bpor_guard_disarm(void);
/* A mapping that the runtime itself made for the execution: gone with it. Nothing happens where no guard stands. */
void bpor_guard_remember_mapping(void *start, size_t bytes);
/* Takes back the mappings, the heap growth, the opened files and the dispositions of signals of the execution that ended. */
void bpor_guard_undo(void);
/* Is there nothing to take back? */
bool bpor_guard_is_clean(void);
/* The same, for whoever identifies states: memory that was not there at the fork point, and everything else that is in force. */
const char *bpor_guard_each_new_memory(const char *(*visit)(uintptr_t start, uintptr_t end, void *data), void *data);
void bpor_guard_digest(struct digest *set);
/* Did the execution give up a part of a mapping, or change who may access it? Nobody keeps a record of that. */
bool bpor_guard_mapping_altered(void);
#endif
