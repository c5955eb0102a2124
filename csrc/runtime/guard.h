/* The guard of rollback: sees every system call of the target (Syscall User Dispatch) and lets through what memory rollback can
 * undo or what has no effect; anything else ends the execution as NEEDS_FORK. */
#ifndef BPOR_GUARD_H
#define BPOR_GUARD_H

/* Why it cannot work here, or NULL. */
const char *bpor_guard_arm(void);
void bpor_guard_disarm(void);
/* Takes back the mappings and the heap growth of the execution that ended. */
void bpor_guard_undo(void);
#endif
