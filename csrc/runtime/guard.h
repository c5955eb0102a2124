/* The guard of rollback: sees every system call of the target (Syscall User Dispatch) and lets through what memory rollback can
 * undo or what has no effect; anything else ends the execution as NEEDS_FORK. */
#ifndef BPOR_GUARD_H
#define BPOR_GUARD_H
#include <stddef.h>

/* Why it cannot work here, or NULL. */
const char *bpor_guard_arm(void);
void bpor_guard_disarm(void);
/* A mapping that the runtime itself made for the execution: gone with it. Nothing happens where no guard stands. */
void bpor_guard_remember_mapping(void *start, size_t bytes);
/* Takes back the mappings, the heap growth and the dispositions of signals of the execution that ended. */
void bpor_guard_undo(void);
#endif
