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

static void let_go(struct cell *cell, unsigned thread, uint64_t event)
{
    if (cell->holder != thread + 1)
        cell->changed = event;
    else if (--cell->holds == 0)
        cell->holder = 0;
}

static void take(struct cell *cell, unsigned thread)
{
    cell->holds = cell->holder == thread + 1 ? cell->holds + 1 : 1;
    cell->holder = (uint16_t)(thread + 1);
}

/* Which of the objects of an operation is its mutex; -1: it has none. */
static int mutex_of(unsigned kind)
{
    switch (kind) {
    case OP_MUTEX_LOCK:
    case OP_MUTEX_TRYLOCK:
    case OP_MUTEX_TIMEDLOCK:
    case OP_MUTEX_UNLOCK:
        return 0;
    case OP_COND_WAIT:
    case OP_COND_WAKE:
        return 1;
    default:
        return -1;
    }
}

/* The object of an operation that is a mutex is one. */
void locks_announce(struct tree *tree, const struct announced *operation)
{
    int mutex = mutex_of(operation->kind);
    if (mutex >= 0 && (uint32_t)mutex < operation->count)
        tree->cell[touched_cell(tree->touch[operation->first + (uint32_t)mutex])].is_lock = true;
}

/* Who holds each mutex, from what was done to it; anything else that writes it makes it another one. */
void locks_note(struct tree *tree, const struct pushed *step, const struct told_step *told, unsigned kind)
{
    int mutex = mutex_of(kind);
    for (uint32_t i = 0; i < step->touches; i++) {
        uint32_t touch = tree->touch[step->first_touch + i];
        struct cell *cell = &tree->cell[touched_cell(touch)];
        if ((int)i == mutex) {
            if (takes(kind, told->flags))
                take(cell, told->thread);
            else if (kind == OP_MUTEX_UNLOCK || kind == OP_COND_WAIT)
                let_go(cell, told->thread, step->hash);
        } else if (writes(touch)) {
            cell->changed = step->hash;
        }
    }
}
