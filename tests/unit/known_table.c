/* Enters keys that lie close together, and keys at the end of a table of any size; each must be found while the tables double. */
#include "engine/known_table.c"
#include <stdio.h>

enum { KEYS = 600, SLOT_SHIFT = 44, LOW_BITS = 0x1ff };

static struct known known;
static uint64_t entered[KEYS], state = 1;

static uint64_t drawn(uint64_t below)
{
    state = bpor_mix(state, below);
    return (state >> 20) % below;
}

/* A key that begins to look for its place at a slot: the factor of slot_of, the other way round. */
static uint64_t key_at(uint64_t slot, uint64_t number)
{
    const uint64_t factor = 0x9e3779b97f4a7c15u;
    uint64_t inverse = factor;
    for (int i = 0; i < 6; i++)
        inverse *= 2 - inverse * factor;
    return (slot << SLOT_SHIFT | (number + 1) << 3) * inverse;
}

static uint64_t any(unsigned number)
{
    return key_at(drawn(KNOWN_SLOTS), number);
}

static uint64_t at_the_end(unsigned number)
{
    return key_at(drawn(KNOWN_SLOTS) | (LOW_BITS & ~drawn(4)), number);
}

static uint64_t in_heaps(unsigned number)
{
    return key_at(drawn(16) * (KNOWN_SLOTS / 16) + drawn(200), number);
}

static void enter_step(uint64_t key)
{
    known_make_room(&known);
    struct known_step *entry = known_find(&known, key);
    known.steps.used += entry->key == 0;
    entry->key = key;
}

static int lost_of(unsigned count)
{
    int lost = 0;
    for (unsigned i = 0; i < count; i++)
        lost += !known_has_key(&known.answer, entered[i]) || known_find(&known, entered[i])->key != entered[i];
    return lost;
}

static int lost(uint64_t (*key)(unsigned))
{
    int count = 0;
    known_forget(&known, 0);
    for (unsigned i = 0; i < KEYS; i++) {
        entered[i] = key(i);
        count += !known_add_key(&known, &known.answer, entered[i]);
        enter_step(entered[i]);
        count += lost_of(i + 1);
    }
    return count + (known.steps.used != KEYS) + (known.answer.extent.used != KEYS) + known_has_key(&known.answer, key(KEYS));
}

int main(void)
{
    printf("%d %d %d\n", lost(any), lost(at_the_end), lost(in_heaps));
    return 0;
}
