/* Checkpoints: states on the way of an execution from which later ones begin instead of at the fork point.
 *
 * A search goes to the same states again and again, by the same prefix of choices. While an execution follows its prefix, and
 * tells nothing yet, its memory is a function of those choices alone; so what it was there is what it will be when another plan
 * with the same choices comes by. A checkpoint is what of memory differs from the fork point, in lines of 64 bytes, the cells of
 * the race detector, which are not rolled back but emptied, and where to go on. It is taken only where the kernel's state is that
 * of the fork point, but for more heap.
 */
#ifndef BPOR_CHECKPOINTS_H
#define BPOR_CHECKPOINTS_H
#include "arch/x86_64/context.h"
#include <stdbool.h>

/* At the fork point, if they are wanted. */
void bpor_checkpoints_reserve(void);
/* What was taken so far is of another search. */
void bpor_checkpoints_forget(void);

/* For the keeper, when memory is that of the fork point and a plan has come: where it goes on, with its memory put there; NULL:
 * at the fork point. */
const struct context *bpor_checkpoint_enter(void);
/* For the keeper: how an execution has come to hand over. NULL: it is over. Else a checkpoint was taken, and it goes on here. */
const struct context *bpor_checkpoint_take(void);
/* For the keeper: the execution is over, and then: its memory was put back. */
void bpor_checkpoints_leave(void);
void bpor_checkpoints_settle(void);

/* For the execution, while it follows its prefix: is it time? */
bool bpor_checkpoint_due(void);
/* Where it will be left; NULL: not here. */
struct context *bpor_checkpoint_ask(void);
/* True once if this is another execution, with another plan, than the one that was left here. */
bool bpor_checkpoint_entered(void);
#endif
