/* Sets of numbers, each kept once: equal sets have equal names, and the union of two that were united before is looked up. */
#ifndef BPOR_ENGINE_SETS_H
#define BPOR_ENGINE_SETS_H
#include <stdbool.h>
#include <stdint.h>

enum {
    SET_LOST = 0, /* what was in it is forgotten: nobody may rely on it */
    SET_EMPTY = 1,
    MAX_SETS = 1 << 17,
    SET_SLOTS = MAX_SETS * 2,
    SET_WORDS = 1 << 22,
    LARGEST_SET = 1 << 16,
    UNITED_SLOTS = 1 << 16
};

struct sets {
    bool full;
    uint32_t sets; /* the empty one included */
    uint32_t words;
    uint32_t slot[SET_SLOTS];
    struct united {
        uint32_t one;
        uint32_t other;
        uint32_t both;
    } united[UNITED_SLOTS];
    struct set {
        uint32_t first;
        uint32_t count;
        uint64_t hash;
    } set[MAX_SETS + 1];
    uint32_t word[SET_WORDS];
    uint32_t scratch[LARGEST_SET]; /* where the next one is collected, */
    uint32_t collected;            /* so far */
};

void sets_forget(struct sets *sets);
/* Returns the set of what was collected, and empties the collection. */
uint32_t sets_take(struct sets *sets);
uint32_t sets_unite(struct sets *sets, uint32_t one, uint32_t other);
/* Is it as it was made? */
bool sets_prove(const struct sets *sets, uint32_t set);
bool sets_have(const struct sets *sets, uint32_t set, uint32_t word);

static inline void sets_collect(struct sets *sets, uint32_t word)
{
    if (sets->collected < LARGEST_SET)
        sets->scratch[sets->collected] = word;
    sets->collected++;
}
#endif
