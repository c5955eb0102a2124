/* Rollback: the same process runs execution after execution; between two of them the keeper, which has a stack of its own,
 * restores memory. */
#ifndef BPOR_KEEPER_H
#define BPOR_KEEPER_H
#include <stdbool.h>

/* Returns at the beginning of every execution. False, once, if rollback is impossible: shared->end.message says why. */
bool bpor_keeper_run(void);
/* Is this process reset by rollback? */
bool bpor_keeper_active(void);
/* The execution is over and told: never returns. Does nothing where executions are reset by fork. */
void bpor_keeper_take_over(void);
/* A state on the way of the plan's prefix: later executions may begin here, and then return here. */
void bpor_keeper_checkpoint(void);
#endif
