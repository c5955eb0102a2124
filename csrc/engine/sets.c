#include "engine/sets.h"
#include "protocol/operations.h"
#include "protocol/protocol.h"
#include <string.h>

void sets_forget(struct sets *sets)
{
    if (sets->sets > 1) {
        memset(sets->slot, 0, sizeof sets->slot);
        memset(sets->united, 0, sizeof sets->united);
    }
    sets->sets = SET_EMPTY;
    sets->words = sets->collected = 0;
    sets->set[SET_EMPTY] = (struct set){0};
    sets->full = false;
}

/* Shell's sort, with gaps that halve: what is collected is short, and nearly sorted. */
static void sort(uint32_t *word, uint32_t count)
{
    for (uint32_t gap = count / 2; gap; gap /= 2)
        for (uint32_t i = gap; i < count; i++) {
            uint32_t value = word[i], at = i;
            for (; at >= gap && word[at - gap] > value; at -= gap)
                word[at] = word[at - gap];
            word[at] = value;
        }
}

static uint32_t without_repetitions(uint32_t *word, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (kept == 0 || word[kept - 1] != word[i])
            word[kept++] = word[i];
    return kept;
}

static uint64_t hash_of(const uint32_t *word, uint32_t count)
{
    uint64_t hash = count;
    for (uint32_t i = 0; i < count; i++)
        hash = bpor_mix(hash, word[i]);
    return hash;
}

bool sets_prove(const struct sets *sets, uint32_t number)
{
    const struct set *set = &sets->set[number];
    if (number == SET_LOST || number > sets->sets)
        return false;
    if (number == SET_EMPTY)
        return set->count == 0;
    return set->count <= SET_WORDS - set->first % SET_WORDS &&
           hash_of(&sets->word[set->first % SET_WORDS], set->count) == set->hash;
}

/* The words that lie behind the last set, in order, are a set: it is a new one, or known. */
static uint32_t name_new(struct sets *sets, uint32_t count)
{
    uint32_t *word = &sets->word[sets->words];
    uint64_t hash = hash_of(word, count);
    if (count == 0)
        return SET_EMPTY;
    uint32_t slot = (uint32_t)(hash >> 20) % SET_SLOTS;
    for (; sets->slot[slot]; slot = (slot + 1) % SET_SLOTS) {
        const struct set *set = &sets->set[sets->slot[slot]];
        if (set->hash == hash && set->count == count && memcmp(&sets->word[set->first], word, count * sizeof *word) == 0)
            return sets->slot[slot];
    }
    if (sets->sets == MAX_SETS) {
        sets->full = true;
        return SET_LOST;
    }
    sets->set[++sets->sets] = (struct set){sets->words, count, hash};
    sets->words += count;
    return sets->slot[slot] = sets->sets;
}

static bool has_room(struct sets *sets, uint32_t count)
{
    sets->full |= sets->words + count > SET_WORDS;
    return !sets->full;
}

uint32_t sets_take(struct sets *sets)
{
    uint32_t count = sets->collected;
    sets->collected = 0;
    if (count > LARGEST_SET || !has_room(sets, count))
        return SET_LOST;
    sort(sets->scratch, count);
    count = without_repetitions(sets->scratch, count);
    memcpy(&sets->word[sets->words], sets->scratch, count * sizeof sets->word[0]);
    return name_new(sets, count);
}

static uint32_t merge(struct sets *sets, const struct set *one, const struct set *other)
{
    const uint32_t *a = &sets->word[one->first], *a_end = a + one->count;
    const uint32_t *b = &sets->word[other->first], *b_end = b + other->count;
    uint32_t *to = &sets->word[sets->words], count = 0;
    while (a < a_end || b < b_end) {
        uint32_t least = b == b_end || (a < a_end && *a <= *b) ? *a : *b;
        a += a < a_end && *a == least;
        b += b < b_end && *b == least;
        to[count++] = least;
    }
    return count;
}

uint32_t sets_unite(struct sets *sets, uint32_t one, uint32_t other)
{
    if (one == SET_LOST || other == SET_LOST)
        return SET_LOST;
    if (one == other || other == SET_EMPTY)
        return one;
    if (one == SET_EMPTY)
        return other;
    struct united *united = &sets->united[bpor_mix(one, other) % UNITED_SLOTS];
    if (united->one == one && united->other == other)
        return united->both;
    if (!has_room(sets, sets->set[one].count + sets->set[other].count))
        return SET_LOST;
    uint32_t both = name_new(sets, merge(sets, &sets->set[one], &sets->set[other]));
    if (both != SET_LOST)
        *united = (struct united){one, other, both};
    return both;
}

bool sets_have(const struct sets *sets, uint32_t set, uint32_t word)
{
    const uint32_t *words = &sets->word[sets->set[set].first];
    uint32_t low = 0, high = sets->set[set].count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (words[middle] < word)
            low = middle + 1;
        else
            high = middle;
    }
    return low < sets->set[set].count && words[low] == word;
}
