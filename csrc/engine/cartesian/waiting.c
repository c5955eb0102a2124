/* States that were reached: those not looked at yet, on a stack with the choices that lead to them; and the covered ones.
 *
 * Each entry of the stack has a checksum of itself and of all entries below it. The covered states are a set of hashes: if the
 * program overwrites one, the search runs more executions and misses nothing. */
#include "engine/tree.h"
#include <string.h>

static struct cartesian *of(struct tree *tree)
{
    return &tree->cartesian;
}

static uint64_t check_of(const struct cartesian *cartesian, const struct cartesian_waiting *state, uint64_t below)
{
    uint64_t check = bpor_mix(bpor_mix(below, state->hash), state->enabled);
    check = bpor_mix(bpor_mix(check, state->identity.low), state->identity.high);
    check = bpor_mix(check, (uint64_t)state->first << 32 | state->length << 1 | state->looked);
    for (uint32_t i = 0; i < state->length; i++)
        check = (check ^ cartesian->choice[state->first + i]) * 0x9e3779b97f4a7c15u;
    return check;
}

/* Where the choices of the next one begin. */
static uint32_t first_free(const struct cartesian *cartesian)
{
    const struct cartesian_waiting *last = &cartesian->wait[cartesian->waiting - 1];
    return cartesian->waiting ? last->first + last->length : 0;
}

uint16_t *waiting_room(struct tree *tree, uint32_t length)
{
    struct cartesian *cartesian = of(tree);
    uint32_t first = first_free(cartesian);
    if (cartesian->waiting + 1 == MAX_WAITING || first + length > MAX_WAITING_CHOICES || length >= MAX_DEPTH) {
        tree_give_up(tree, "states that wait");
        return NULL;
    }
    return &cartesian->choice[first];
}

void waiting_add(struct tree *tree, const struct cartesian_waiting *state)
{
    struct cartesian *cartesian = of(tree);
    struct cartesian_waiting *added = &cartesian->wait[cartesian->waiting];
    uint32_t first = first_free(cartesian);
    *added = *state;
    added->first = first;
    added->check = cartesian->top_check = check_of(cartesian, added, cartesian->top_check);
    cartesian->waiting++;
}

/* The state behind the one that is looked at, after the prefixes of some threads, one after the other. */
void waiting_push(struct tree *tree, const struct cartesian_waiting *state, uint64_t threads)
{
    struct cartesian *cartesian = of(tree);
    struct cartesian_waiting pushed = *state;
    pushed.length = cartesian->depth;
    EACH_THREAD (thread, threads)
        pushed.length += cartesian->prefix[thread].length;
    uint16_t *choice = waiting_room(tree, pushed.length);
    if (!choice)
        return;
    for (uint32_t i = 0; i < cartesian->depth; i++)
        *choice++ = cartesian->path[i];
    EACH_THREAD (thread, threads)
        for (uint32_t i = 0; i < cartesian->prefix[thread].length; i++)
            *choice++ = (uint16_t)thread;
    waiting_add(tree, &pushed);
}

bool waiting_pop(struct tree *tree, struct cartesian_waiting *state)
{
    struct cartesian *cartesian = of(tree);
    if (cartesian->waiting == 0)
        return false;
    uint64_t below = cartesian->waiting > 1 ? cartesian->wait[cartesian->waiting - 2].check : 0;
    *state = cartesian->wait[--cartesian->waiting];
    bool sound = state->length < MAX_DEPTH && state->first + state->length <= MAX_WAITING_CHOICES;
    if (!sound || state->check != cartesian->top_check || check_of(cartesian, state, below) != state->check) {
        tree_fail(tree, "a state that waits was written over");
        return false;
    }
    cartesian->top_check = below;
    for (uint32_t i = 0; i < state->length; i++)
        cartesian->path[i] = cartesian->choice[state->first + i];
    cartesian->depth = state->length;
    return true;
}

/* ---- what is covered ---- */

struct identity identity_of_hash(uint64_t hash)
{
    return (struct identity){hash, 1}; /* no identity of memory is that */
}

/* Where a state is, or belongs. */
static uint32_t slot_of(const struct cartesian *cartesian, struct identity state)
{
    uint32_t last = cartesian->slots - 1, at = (uint32_t)(bpor_mix(state.low, state.high) >> 40) & last;
    while (cartesian->slot[at] && !identity_equals(cartesian->state[cartesian->slot[at] % MAX_COVERED], state))
        at = (at + 1) & last;
    return at;
}

static void clear(struct cartesian *cartesian, uint32_t slots)
{
    cartesian->slots = slots;
    memset(cartesian->slot, 0, slots * sizeof cartesian->slot[0]);
}

void covered_clear(struct tree *tree)
{
    clear(of(tree), FIRST_COVERED_SLOTS);
}

static void grow(struct cartesian *cartesian)
{
    clear(cartesian, 4 * cartesian->slots);
    for (uint32_t number = 1; number <= cartesian->covered; number++)
        cartesian->slot[slot_of(cartesian, cartesian->state[number])] = number;
}

bool covered_has(const struct tree *tree, struct identity state)
{
    return identity_is_known(state) && tree->cartesian.slot[slot_of(&tree->cartesian, state)];
}

void covered_add(struct tree *tree, struct identity state)
{
    struct cartesian *cartesian = of(tree);
    if (!identity_is_known(state) || covered_has(tree, state))
        return;
    if (cartesian->covered + 1 >= MAX_COVERED) {
        tree_give_up(tree, "states");
        return;
    }
    if (2 * (cartesian->covered + 1) > cartesian->slots)
        grow(cartesian);
    cartesian->state[++cartesian->covered] = state;
    cartesian->slot[slot_of(cartesian, state)] = cartesian->covered;
}
