/* The cartesian vector of a state: for every thread a prefix of what it does alone, such that only last operations conflict.
 *
 * Built as published, one operation of each thread in turn. One that conflicts with an operation in the midst of another prefix
 * stops its thread before it; one that conflicts with a last operation is appended, and both threads stop there. An operation
 * that waits is its thread's last, and so is the end of a thread, as an operation that does nothing: without it the last real one
 * could not lie in the midst of the prefix. */
#include "engine/tree.h"

/* One thread's prefix under construction. */
struct growing {
    uint32_t taken; /* moves, the operation that waits and the end included */
    const struct cartesian_move *last;
    bool frozen;
    bool conflicts; /* the last operation does, with another one's last */
    bool infinite;
    bool ended;
    struct cartesian_move end;
};

struct vector {
    struct tree *tree;
    uint64_t threads;
    uint64_t joined[THREADS]; /* in the midst of whose prefixes somebody joins this thread */
    struct growing growing[THREADS];
};

static const struct cartesian_move *next_of(struct vector *vector, unsigned thread)
{
    struct cartesian *cartesian = &vector->tree->cartesian;
    struct growing *growing = &vector->growing[thread];
    const struct cartesian_solo *solo = &cartesian->solo[thread];
    if (growing->taken < solo->moves)
        return &cartesian->move[solo->first + growing->taken];
    if (solo->halt == HALT_WAITS)
        return &solo->wanted;
    growing->end = (struct cartesian_move){.over = (uint8_t)(thread + 1)};
    return solo->halt == HALT_ENDED ? &growing->end : NULL;
}

static bool touch_conflicts(const struct tree *tree, uint32_t one, uint32_t other)
{
    if (!writes(one) && !writes(other))
        return false;
    EACH_NEAR (tree, touched_cell(one), near)
        if (near == touched_cell(other))
            return true;
    return false;
}

static bool conflict(const struct tree *tree, const struct cartesian_move *one, const struct cartesian_move *other)
{
    const uint32_t *touch = tree->cartesian.touch;
    if (one->ends || other->ends || (one->joins && one->joins == other->over) || (other->joins && other->joins == one->over))
        return true;
    for (uint32_t i = 0; i < one->touches; i++)
        for (uint32_t k = 0; k < other->touches; k++)
            if (touch_conflicts(tree, touch[one->first + i], touch[other->first + k]))
                return true;
    return false;
}

/* With what others do in the midst of their prefixes. */
static bool conflicts_with_midst(struct vector *vector, unsigned thread, const struct cartesian_move *move)
{
    const struct cartesian *cartesian = &vector->tree->cartesian;
    uint64_t found = move->over ? vector->joined[move->over - 1] : 0;
    for (uint32_t i = 0; i < move->touches; i++) {
        uint32_t touch = cartesian->touch[move->first + i];
        EACH_NEAR (vector->tree, touched_cell(touch), near)
            found |= writes(touch) ? cartesian->midst_any[near] : cartesian->midst_write[near];
    }
    return found & ~bit(thread);
}

static void put_in_midst(struct vector *vector, unsigned thread, const struct cartesian_move *move)
{
    struct cartesian *cartesian = &vector->tree->cartesian;
    for (uint32_t i = 0; i < move->touches; i++) {
        uint32_t touch = cartesian->touch[move->first + i];
        cartesian->midst_any[touched_cell(touch)] |= bit(thread);
        if (writes(touch))
            cartesian->midst_write[touched_cell(touch)] |= bit(thread);
    }
    if (move->joins)
        vector->joined[move->joins - 1] |= bit(thread);
}

static void append(struct vector *vector, unsigned thread, const struct cartesian_move *move)
{
    const struct cartesian_solo *solo = &vector->tree->cartesian.solo[thread];
    struct growing *growing = &vector->growing[thread];
    bool at_end = growing->taken >= solo->moves;
    if (growing->last)
        put_in_midst(vector, thread, growing->last);
    growing->taken++;
    growing->last = move;
    growing->ended = at_end && solo->halt == HALT_ENDED;
    growing->frozen = at_end || move->creates || move->ends;
}

static void extend(struct vector *vector, unsigned thread)
{
    struct growing *growing = &vector->growing[thread];
    const struct cartesian_move *move = next_of(vector, thread);
    uint64_t meets = 0;
    if (!move) {
        growing->frozen = growing->infinite = true;
        return;
    }
    bool stops = conflicts_with_midst(vector, thread, move);
    EACH_THREAD (other, vector->threads & ~bit(thread)) {
        const struct growing *beside = &vector->growing[other];
        stops |= move->ends && beside->taken > 1;
        if (beside->last && conflict(vector->tree, move, beside->last))
            meets |= bit(other);
    }
    if (stops) {
        growing->frozen = true;
        return;
    }
    append(vector, thread, move);
    EACH_THREAD (each, meets ? meets | bit(thread) : 0)
        vector->growing[each].frozen = vector->growing[each].conflicts = true;
}

static void clear_midst(struct cartesian *cartesian)
{
    for (uint32_t i = 0; i < cartesian->touches; i++)
        cartesian->midst_any[touched_cell(cartesian->touch[i])] = cartesian->midst_write[touched_cell(cartesian->touch[i])] = 0;
}

void cartesian_vector(struct tree *tree, uint64_t threads)
{
    struct vector vector = {.tree = tree, .threads = threads};
    struct cartesian *cartesian = &tree->cartesian;
    for (bool grows = true; grows;) {
        grows = false;
        EACH_THREAD (thread, threads)
            if (!vector.growing[thread].frozen) {
                extend(&vector, thread);
                grows = true;
            }
    }
    clear_midst(cartesian);
    EACH_THREAD (thread, threads) {
        const struct growing *growing = &vector.growing[thread];
        uint32_t moves = cartesian->solo[thread].moves;
        cartesian->prefix[thread] = (struct cartesian_prefix){
            .length = growing->taken < moves ? growing->taken : moves,
            .infinite = growing->infinite || (growing->ended && !growing->conflicts),
            .ended = growing->ended,
        };
    }
}
