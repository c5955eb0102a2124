/* Locks: for every unlocking step on the stack, the step that had taken the lock. For the release optimisation of unbounded
 * search: a thread that waits for a mutex could not have run between the two, so its race with the unlock is a race with the
 * acquisition.
 *
 * Only mutexes, and only operations that cannot run while somebody holds them: a trylock or a timedlock can (it fails). */
#include "engine/tree.h"

static bool takes(unsigned kind, unsigned flags)
{
    if (kind == OP_COND_WAKE)
        return true; /* it touches the condition too; that entry is harmless because the mutex's is never older */
    return (kind == OP_MUTEX_LOCK || kind == OP_MUTEX_TRYLOCK || kind == OP_MUTEX_TIMEDLOCK) &&
           !(flags & (BPOR_FLAG_FAILED | BPOR_FLAG_TIMEOUT));
}

bool locks_waits(unsigned kind)
{
    return kind == OP_MUTEX_LOCK || kind == OP_COND_WAKE;
}

/* `saved`: what the step's cells held before it, one for each of its touches; popping the step puts `held` back. */
void locks_push(struct tree *tree, uint32_t index, const struct told_step *told, unsigned kind, struct saved_cell *saved)
{
    struct pushed *step = &tree->step[index];
    bool taking = takes(kind, told->flags);
    if (!taking && kind != OP_MUTEX_UNLOCK && kind != OP_COND_WAIT)
        return;
    for (uint32_t i = 0; i < step->touches; i++) {
        uint32_t *held = &tree->cell[saved[i].cell].held[told->thread];
        if (!taking && step->acquisition < *held)
            step->acquisition = *held;
        *held = taking ? index + 1 : 0;
    }
}
