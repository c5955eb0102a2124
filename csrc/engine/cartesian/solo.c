/* What a thread does alone, step by step, until it waits, ends, comes back to a state, ends the process or is cut. */
#include "engine/tree.h"

/* Which thread a join waits for, + 1. */
static uint8_t joined(const struct announced *operation)
{
    return operation->kind == OP_JOIN && operation->target < THREADS ? (uint8_t)(operation->target + 1) : 0;
}

static uint32_t keep_touches(struct tree *tree, const uint32_t *touch, uint32_t count)
{
    struct cartesian *cartesian = &tree->cartesian;
    uint32_t first = cartesian->touches;
    if (first + count > MAX_MOVE_TOUCHES) {
        tree_give_up(tree, "accesses of one state");
        return 0;
    }
    for (uint32_t i = 0; i < count; i++)
        cartesian->touch[cartesian->touches++] = touch[i];
    return first;
}

bool solo_meets(struct tree *tree, struct identity state)
{
    struct cartesian *cartesian = &tree->cartesian;
    uint32_t at = (uint32_t)(bpor_mix(state.low, state.high) >> 20) % COME_THROUGH_SLOTS;
    if (!identity_is_known(state))
        return false;
    for (uint32_t tried = 0; tried < COME_THROUGH_SLOTS; tried++, at = (at + 1) % COME_THROUGH_SLOTS) {
        if (cartesian->come_through[at].run != cartesian->run) {
            cartesian->come_through[at].state = state;
            cartesian->come_through[at].run = cartesian->run;
            return false;
        }
        if (identity_equals(cartesian->come_through[at].state, state))
            return true;
    }
    return false;
}

/* The step is on the history, and so is the state it led to. True: the thread was in that state before. */
bool solo_step(struct tree *tree, const struct told_step *step)
{
    struct cartesian *cartesian = &tree->cartesian;
    struct cartesian_solo *solo = &cartesian->solo[cartesian->thread];
    const struct pushed *pushed = &tree->step[tree->depth - 1];
    const struct announced *operation = &tree->operation[pushed->operation_before - 1];
    if (cartesian->moves == MAX_MOVES) {
        tree_give_up(tree, "steps of one state");
        return false;
    }
    cartesian->move[cartesian->moves++] = (struct cartesian_move){
        .first = keep_touches(tree, &tree->touch[pushed->first_touch], pushed->touches),
        .touches = pushed->touches,
        .joins = joined(operation),
        .ends = step->ends_process,
        .creates = pushed->created != 0,
        .hash = tree_trace_hash(tree),
        .enabled = tree->frame[tree->frames - 1].enabled,
        .identity = cartesian->last,
    };
    solo->moves++;
    cartesian->circles = solo_meets(tree, cartesian->last);
    return cartesian->circles;
}

void solo_forget(struct tree *tree, unsigned thread)
{
    struct cartesian *cartesian = &tree->cartesian;
    cartesian->solo[thread] = (struct cartesian_solo){.first = cartesian->moves};
    cartesian->circles = cartesian->astray = false;
    cartesian->run++;
}

void solo_wait(struct tree *tree, unsigned thread)
{
    struct cartesian_solo *solo = &tree->cartesian.solo[thread];
    const struct announced *operation = history_operation(tree, thread);
    solo->halt = operation ? HALT_WAITS : HALT_ENDED;
    if (operation)
        solo->wanted = (struct cartesian_move){
            .first = keep_touches(tree, &tree->touch[operation->first], operation->count),
            .touches = operation->count,
            .joins = joined(operation),
        };
}

bool solo_end(struct tree *tree, unsigned thread)
{
    struct cartesian *cartesian = &tree->cartesian;
    struct cartesian_solo *solo = &cartesian->solo[thread];
    bool goes_on = tree->frame[tree->frames - 1].enabled & bit(thread);
    bool cut = goes_on && !cartesian->astray && tree->depth >= cartesian_most_steps(tree);
    if (solo->moves == 0) {
        tree_fail(tree, "a thread ran alone and made no step");
    } else if (cartesian->move[cartesian->moves - 1].ends) {
        solo->halt = HALT_OVER;
    } else if (cartesian->circles) {
        solo->halt = HALT_CIRCLE;
    } else if (cut && cartesian_most_steps(tree) < tree->order.max_steps) {
        return false;
    } else if (cut) {
        solo->halt = HALT_CUT;
    } else {
        while (tree->depth > cartesian->depth + solo->moves) {
            tree->frames--;
            history_pop(tree);
        }
        solo_wait(tree, thread);
    }
    return true;
}
