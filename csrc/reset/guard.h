/* The guard: sees every system call of the target (Syscall User Dispatch) and lets through what memory rollback can undo or what
 * has no effect. Anything else ends the execution as NEEDS_FORK. Where it is reset by fork already, the guard notes what is the
 * program's own doing (effects.h); else it steps aside, and from there on nobody knows which state it is in. */
#ifndef BPOR_GUARD_H
#define BPOR_GUARD_H
#include "state/digest.h"
#include <stdbool.h>
#include <stddef.h>

void bpor_guard_reserve(void);
/* Why it cannot work here, or NULL. */
const char *bpor_guard_arm(void);
/* In an execution that is reset by fork; `problem`: why the guard alone would not be enough, or NULL. */
void bpor_guard_arm_forked(const char *problem);
/* Why not everything that the execution did is known to the guard, or NULL. */
const char *bpor_guard_problem(void);
/* Is what this execution changes put back in this process, by rollback? */
bool bpor_guard_rolls_back(void);
/* The execution does something that rollback cannot undo. Nothing happens where no guard stands. */
void bpor_guard_give_up(long number, const char *what);
void bpor_guard_disarm(void);
/* The runtime makes this call for the program, and the guard does not see it. */
void bpor_guard_note_effect(long number);
/* Makes a call on a channel for the program, if it can be undone or nothing has to be; its result. */
long bpor_guard_call_channel(long number, const long *argument);
/* A mapping that the runtime itself made for the execution: gone with it. Nothing happens where no guard stands. */
void bpor_guard_remember_mapping(void *start, size_t bytes);
/* Takes back the mappings, the heap growth, the opened files and the dispositions of signals of the execution that ended. */
void bpor_guard_undo(void);
/* Is there nothing to take back, but for heap? */
bool bpor_guard_is_clean(void);
/* The same, for whoever identifies states: memory that was not there at the fork point, and everything else that is in force. */
const char *bpor_guard_each_new_memory(const char *(*visit)(uintptr_t start, uintptr_t end, void *data), void *data);
void bpor_guard_digest(struct digest *set);
#endif
