#include "beside/ways.h"

uint64_t way_of(const struct tree *tree, unsigned how, const struct bpor_end *end)
{
    uint64_t hash = bpor_mix(how, (uint32_t)end->code);
    if (end->outcome == BPOR_OUTCOME_NONE)
        hash = bpor_mix(hash, end->wait_status);
    hash = bpor_mix(hash, end->thread);
    for (unsigned i = 0; i < end->frames; i++)
        hash = bpor_mix(hash, end->stack[i]);
    if (how == BPOR_OUTCOME_RACE)
        hash = bpor_mix(bpor_mix(hash, end->object), end->object_bytes);
    for (unsigned thread = 0; how == BPOR_OUTCOME_DEADLOCK && thread < tree->width; thread++) {
        const struct actor *actor = &tree->actor[thread];
        const struct announced *waits = actor->exists && actor->operation ? &tree->operation[actor->operation - 1] : NULL;
        hash = waits ? bpor_mix(bpor_mix(bpor_mix(hash, thread), waits->kind), waits->site) : hash;
    }
    return hash;
}

uint64_t schedule_rank(const struct bpor_tree_facts *facts)
{
    uint64_t hash = 0;
    for (uint64_t i = 0; i < facts->depth; i++)
        hash = bpor_mix(hash, facts->schedule[i]);
    return hash;
}

static bool is_cheaper(const struct way *one, const struct way *other)
{
    if (one->preemptions != other->preemptions)
        return one->preemptions < other->preemptions;
    if (one->bits != other->bits)
        return one->bits < other->bits;
    return one->rank < other->rank;
}

static uint64_t bits_of(uint64_t number)
{
    return number ? 64 - (uint64_t)__builtin_clzll(number) : 0;
}

/* The entry of this way; if it has none, one that is free, or the dearest. */
static struct way *place_of(struct ways *ways, uint64_t how)
{
    struct way *dearest = &ways->way[0];
    for (unsigned i = 0; i < ways->count; i++) {
        struct way *way = &ways->way[i];
        if (way->how == how)
            return way;
        dearest = is_cheaper(dearest, way) ? way : dearest;
    }
    return ways->count < WAYS ? &ways->way[ways->count] : dearest;
}

bool ways_note(struct ways *ways, uint64_t how, const struct bpor_tree_facts *facts, const struct bpor_end *end)
{
    struct way *known = place_of(ways, how);
    struct way one = {how, end->preemptions, bits_of(facts->depth), 0};
    bool is_free = known == &ways->way[ways->count];
    if (!is_free && (one.preemptions > known->preemptions || (one.preemptions == known->preemptions && one.bits > known->bits)))
        return false; /* most of them, and a hash takes as long as the schedule */
    one.rank = schedule_rank(facts);
    if (!is_free && !is_cheaper(&one, known))
        return false;
    ways->count += is_free;
    *known = one;
    return true;
}
