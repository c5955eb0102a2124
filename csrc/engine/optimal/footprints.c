/* Footprints: sets of accesses, each stored once for the whole search. A program has few different ones, and many wakeup
 * sequences refer to them. */
#include "engine/optimal/optimal.h"
#include <string.h>

static uint64_t hash_of(const uint32_t *touch, uint32_t count)
{
    uint64_t hash = bpor_mix(0, count);
    for (uint32_t i = 0; i < count; i++)
        hash = bpor_mix(hash, touch[i]);
    return hash;
}

static uint32_t *slot_of(struct optimal *optimal, const uint32_t *touch, uint32_t count, uint64_t hash)
{
    uint32_t slot = (uint32_t)hash % FOOTPRINT_SLOTS;
    for (; optimal->footprint_slot[slot]; slot = (slot + 1) % FOOTPRINT_SLOTS) {
        const struct footprint *known = &optimal->footprint[optimal->footprint_slot[slot] % MAX_FOOTPRINTS];
        if (known->hash == hash && known->count == count &&
            memcmp(&optimal->footprint_touch[known->first], touch, count * sizeof *touch) == 0)
            break;
    }
    return &optimal->footprint_slot[slot];
}

static uint64_t cells_of(const uint32_t *touch, uint32_t count, bool read_only)
{
    uint64_t cells = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!read_only || !writes(touch[i]))
            cells |= bit(touched_cell(touch[i]) % 64);
    return cells;
}

uint32_t footprint_of(struct optimal *optimal, struct tree *tree, const uint32_t *touch, uint32_t count)
{
    uint64_t hash = hash_of(touch, count);
    uint32_t *slot = slot_of(optimal, touch, count, hash);
    if (*slot)
        return *slot;
    if (optimal->footprints + 1 == MAX_FOOTPRINTS || optimal->footprint_touches + count > MAX_FOOTPRINT_TOUCHES) {
        tree_give_up(tree, "footprints");
        return 0;
    }
    *slot = ++optimal->footprints;
    optimal->footprint[*slot] =
        (struct footprint){optimal->footprint_touches, count, hash, cells_of(touch, count, false), cells_of(touch, count, true)};
    memcpy(&optimal->footprint_touch[optimal->footprint_touches], touch, count * sizeof *touch);
    optimal->footprint_touches += count;
    return *slot;
}

static bool touches(const struct optimal *optimal, uint32_t number, uint32_t cell, bool written, bool reads)
{
    const struct footprint *footprint = &optimal->footprint[number];
    for (uint32_t i = 0; i < footprint->count; i++) {
        uint32_t touch = optimal->footprint_touch[footprint->first + i];
        if (touched_cell(touch) == cell && (written || (writes(touch) && !reads)))
            return true;
    }
    return false;
}

static bool overlap(const struct optimal *optimal, const struct tree *tree, uint32_t one, uint32_t other, unsigned reads)
{
    const struct footprint *footprint = &optimal->footprint[one];
    for (uint32_t i = 0; i < footprint->count; i++) {
        uint32_t touch = optimal->footprint_touch[footprint->first + i];
        bool written = writes(touch) && !(reads & ONE_READS);
        EACH_NEAR (tree, touched_cell(touch), near)
            if (touches(optimal, other, near, written, reads & OTHER_READS))
                return true;
    }
    return false;
}

/* Most have nothing in common, and are asked about often. */
static bool are_disjoint(const struct optimal *optimal, const struct tree *tree, uint32_t one, uint32_t other)
{
    return tree->nears == 0 && !(optimal->footprint[one].cells & optimal->footprint[other].cells);
}

/* Do the two footprints share an object that one of them writes? `reads` says which of them only reads. The table of answers
 * cannot be sealed, so each answer is stored with its question; an entry that the program has overwritten no longer matches. */
bool footprints_conflict(struct optimal *optimal, const struct tree *tree, uint32_t one, uint32_t other, unsigned reads)
{
    enum { YES = 1, NO = 2 };
    if (are_disjoint(optimal, tree, one, other))
        return false;
    uint64_t question = bpor_mix((uint64_t)one << 32 | other, reads) & ~3ull;
    uint64_t *known = &optimal->conflict[(question >> 2) % CONFLICT_SLOTS];
    if (*known != (question | YES) && *known != (question | NO))
        *known = question | (overlap(optimal, tree, one, other, reads) ? YES : NO);
    return *known == (question | YES);
}
