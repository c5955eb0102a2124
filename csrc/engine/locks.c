/* Locks: for every unlocking step on the stack, the step that had taken the lock. For the release optimisation of unbounded
 * search: a thread that waits for a mutex could not have run between the two, so its race with the unlock is a race with the
 * acquisition.
 *
 * Only mutexes, and only operations that cannot run while somebody holds them: a trylock or a timedlock can (it fails). */
#include "engine/tree.h"

static bool takes(unsigned kind, bool in_vain)
{
    if (kind == OP_COND_WAKE)
        return true;
    return (kind == OP_MUTEX_LOCK || kind == OP_MUTEX_TRYLOCK || kind == OP_MUTEX_TIMEDLOCK) && !in_vain;
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

/* Does an operation wait for the mutex that a step gives back? With one condition and two mutexes it may wait for the other one,
 * and could have run while this one was held (erratum E49). */
bool locks_waits_for(const struct tree *tree, const struct announced *operation, const struct pushed *step)
{
    int given = mutex_of(tree->operation[step->operation_before - 1].kind), wanted = mutex_of(operation->kind);
    if (operation->kind != OP_MUTEX_LOCK && operation->kind != OP_COND_WAKE)
        return false;
    return (uint32_t)wanted < operation->count && (uint32_t)given < step->touches &&
           touched_cell(tree->touch[operation->first + (uint32_t)wanted]) ==
               touched_cell(tree->touch[step->first_touch + (uint32_t)given]);
}

/* `saved`: what the step's cells held before it, one for each of its touches; popping the step puts `held` back. */
void locks_push(struct tree *tree, uint32_t index, unsigned kind, struct saved_cell *saved)
{
    struct pushed *step = &tree->step[index];
    int mutex = mutex_of(kind);
    bool taking = takes(kind, step->failed || step->timed_out);
    if ((!taking && kind != OP_MUTEX_UNLOCK && kind != OP_COND_WAIT) || (uint32_t)mutex >= step->touches)
        return;
    uint32_t *held = &tree->cell[saved[mutex].cell].held[step->thread];
    if (!taking)
        step->acquisition = *held;
    *held = taking ? index + 1 : 0;
}

static void let_go(struct holding *holding, unsigned thread, uint64_t event)
{
    if (holding->holder != thread + 1)
        holding->changed = event;
    else if (--holding->holds == 0)
        holding->holder = 0;
}

static void take(struct holding *holding, unsigned thread)
{
    holding->holds = holding->holder == thread + 1 ? holding->holds + 1 : 1;
    holding->holder = thread + 1;
}

/* The object of a mutex operation is a mutex. */
void locks_announce(struct tree *tree, const struct announced *operation)
{
    int mutex = mutex_of(operation->kind);
    if (mutex >= 0 && (uint32_t)mutex < operation->count)
        tree->cell[touched_cell(tree->touch[operation->first + (uint32_t)mutex])].is_lock = true;
}

/* What a step does to the mutex that is its object number `which`; anything else that writes it makes it another one. */
void locks_follow(const struct tree *tree, const struct pushed *step, uint32_t which, unsigned kind, struct holding *holding)
{
    if ((int)which != mutex_of(kind)) {
        if (writes(tree->touch[step->first_touch + which]))
            holding->changed = step->hash;
    } else if (takes(kind, step->failed || step->timed_out)) {
        take(holding, step->thread);
    } else if (kind == OP_MUTEX_UNLOCK || kind == OP_COND_WAIT) {
        let_go(holding, step->thread, step->hash);
    }
}

void locks_note(struct tree *tree, const struct pushed *step, unsigned kind)
{
    for (uint32_t i = 0; i < step->touches; i++)
        locks_follow(tree, step, i, kind, &tree->cell[touched_cell(tree->touch[step->first_touch + i])].holding);
}
