/* The tables of known steps. They use open addressing, and single entries are never removed; when one table is full, all are
 * emptied. */
#include "engine/known.h"
#include <string.h>

enum { FIRST_BITS = 9 };

/* Whatever the program may have written there. */
static uint32_t slots(struct extent extent)
{
    return 1u << (extent.bits < KNOWN_BITS ? extent.bits : KNOWN_BITS);
}

static uint32_t slot_of(uint64_t key, uint32_t slots)
{
    return (uint32_t)(key * 0x9e3779b97f4a7c15u >> 44) & (slots - 1);
}

/* The entry, or the free one where it belongs. */
struct known_step *known_find(struct known *known, uint64_t key)
{
    uint32_t most = slots(known->steps), at = slot_of(key, most);
    for (uint32_t tried = 0; known->step[at].key != key && known->step[at].key && tried < most; tried++)
        at = (at + 1) & (most - 1);
    return &known->step[at];
}

static const uint64_t *find(const struct known_keys *keys, uint64_t key)
{
    uint32_t most = slots(keys->extent), at = slot_of(key, most);
    for (uint32_t tried = 0; keys->key[at] != key && keys->key[at] && tried < most; tried++)
        at = (at + 1) & (most - 1);
    return &keys->key[at];
}

uint64_t known_check(const struct known *known, uint64_t key, uint32_t first, uint32_t count)
{
    uint64_t check = bpor_mix(key, first);
    for (uint32_t i = 0; i < count; i++)
        check = bpor_mix(check, known->word[first + i]);
    return check;
}

bool known_proves_itself(const struct known *known, const struct known_step *entry)
{
    return entry->count < KNOWN_LONGEST && entry->first < KNOWN_WORDS - KNOWN_LONGEST &&
           entry->check == known_check(known, entry->key, entry->first, entry->count);
}

static void empty_keys(struct known_keys *keys)
{
    memset(keys->key, 0, slots(keys->extent) * sizeof keys->key[0]);
    keys->extent = (struct extent){FIRST_BITS, 0};
}

/* Not more than was used: the tables have 40 MiB, and most searches begin again after a few executions. */
static void empty(struct known *known)
{
    memset(known->step, 0, slots(known->steps) * sizeof known->step[0]);
    known->steps = (struct extent){FIRST_BITS, 0};
    empty_keys(&known->answer);
    empty_keys(&known->trace);
    known->words = 0;
    known->no_endings = KNOWN_NO_ENDINGS;
}

void known_forget(struct known *known, uint32_t narrowed)
{
    known->contradicts = false;
    known->executed = known->checked = known->refused = known->site = known->where = 0;
    empty(known);
    known->narrowed = narrowed;
}

static uint32_t most_bits(const struct known *known)
{
    return KNOWN_BITS - known->narrowed;
}

static bool wants_to_double(const struct known *known, struct extent extent)
{
    return extent.used >= slots(extent) / 2 && extent.bits < most_bits(known);
}

/* To double a table in place, its entries are taken out and entered anew one by one, in the order of their slots from behind a
 * free one on. An entry is then never entered behind the slot that it left in the lower half, because whatever lies between its
 * first choice and that slot was entered anew before it; and nobody is in its way in the upper half but those. */
static uint32_t behind_a_free_one(const void *table, size_t stride, uint32_t most)
{
    uint32_t at = 0;
    while (at < most && *(const uint64_t *)((const char *)table + at * stride))
        at++;
    return at + 1;
}

static void double_keys(struct known_keys *keys)
{
    uint32_t most = slots(keys->extent), first = behind_a_free_one(keys->key, sizeof keys->key[0], most);
    memset(&keys->key[most], 0, most * sizeof keys->key[0]);
    keys->extent.bits++;
    for (uint32_t i = 0; i < most; i++) {
        uint64_t *entry = &keys->key[(first + i) & (most - 1)], key = *entry;
        *entry = 0;
        if (key)
            *(uint64_t *)find(keys, key) = key;
    }
}

static void double_steps(struct known *known)
{
    uint32_t most = slots(known->steps), first = behind_a_free_one(known->step, sizeof known->step[0], most);
    memset(&known->step[most], 0, most * sizeof known->step[0]);
    known->steps.bits++;
    for (uint32_t i = 0; i < most; i++) {
        struct known_step *entry = &known->step[(first + i) & (most - 1)], taken = *entry;
        entry->key = 0;
        if (taken.key)
            *known_find(known, taken.key) = taken;
    }
}

bool known_has_key(const struct known_keys *keys, uint64_t key)
{
    return *find(keys, key) == key;
}

/* True if it is new. */
bool known_add_key(struct known *known, struct known_keys *keys, uint64_t key)
{
    if (wants_to_double(known, keys->extent))
        double_keys(keys);
    uint64_t *entry = (uint64_t *)find(keys, key);
    bool new = *entry == 0;
    keys->extent.used += new;
    *entry = key;
    return new;
}

static bool is_full(const struct known *known, struct extent extent)
{
    return extent.used >= slots(extent) / 4 * 3 && extent.bits >= most_bits(known);
}

void known_make_room(struct known *known)
{
    if (is_full(known, known->steps) || is_full(known, known->answer.extent) || is_full(known, known->trace.extent) ||
        known->words >= (uint64_t)(KNOWN_WORDS >> known->narrowed) - KNOWN_LONGEST)
        empty(known);
    else if (wants_to_double(known, known->steps))
        double_steps(known);
}
