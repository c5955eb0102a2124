/* The tables of known steps. They use open addressing, and single entries are never removed; when one table is full, all are
 * emptied. */
#include "engine/known.h"
#include <string.h>

static uint32_t slots(const struct known *known)
{
    return KNOWN_SLOTS >> known->narrowed;
}

static uint32_t slot_of(uint64_t key, uint32_t slots)
{
    return (uint32_t)(key * 0x9e3779b97f4a7c15u >> 44) & (slots - 1);
}

/* The entry, or the free one where it belongs. */
struct known_step *known_find(struct known *known, uint64_t key)
{
    uint32_t most = slots(known), at = slot_of(key, most);
    for (uint32_t tried = 0; known->step[at].key != key && known->step[at].key && tried < most; tried++)
        at = (at + 1) & (most - 1);
    return &known->step[at];
}

static uint64_t *find(uint64_t *table, uint32_t most, uint64_t key)
{
    uint32_t at = slot_of(key, most);
    for (uint32_t tried = 0; table[at] != key && table[at] && tried < most; tried++)
        at = (at + 1) & (most - 1);
    return &table[at];
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

enum { BITS = 64 };

static void use(struct known *known, size_t at)
{
    known->used[at / KNOWN_TOGETHER / BITS] |= 1ull << at / KNOWN_TOGETHER % BITS;
}

void known_use(struct known *known, const struct known_step *entry)
{
    use(known, (size_t)(entry - known->step));
}

static void empty_slots(struct known *known, size_t first)
{
    memset(&known->step[first], 0, KNOWN_TOGETHER * sizeof known->step[0]);
    memset(&known->answer[first], 0, KNOWN_TOGETHER * sizeof known->answer[0]);
    memset(&known->trace[first], 0, KNOWN_TOGETHER * sizeof known->trace[0]);
}

/* Not more than was written: the tables have 40 MiB, and most searches begin again after a few executions. */
static void empty(struct known *known)
{
    if (known->steps + known->answers + known->traces == 0)
        return;
    known->steps = known->answers = known->traces = known->words = 0;
    known->no_endings = KNOWN_NO_ENDINGS;
    for (size_t i = 0; i < sizeof known->used / sizeof known->used[0]; i++) {
        for (uint64_t left = known->used[i]; left; left &= left - 1)
            empty_slots(known, (i * BITS + (size_t)__builtin_ctzll(left)) * KNOWN_TOGETHER);
        known->used[i] = 0;
    }
}

void known_forget(struct known *known, uint32_t narrowed)
{
    known->contradicts = false;
    known->executed = known->checked = known->refused = known->site = known->where = 0;
    empty(known);
    known->no_endings = KNOWN_NO_ENDINGS;
    known->narrowed = narrowed;
}

bool known_has_key(struct known *known, uint64_t *table, uint64_t key)
{
    return *find(table, slots(known), key) == key;
}

/* True if it is new. */
bool known_add_key(struct known *known, uint64_t *table, uint64_t key)
{
    uint64_t *entry = find(table, slots(known), key);
    bool new = *entry == 0;
    use(known, (size_t)(entry - table));
    *entry = key;
    return new;
}

void known_make_room(struct known *known)
{
    uint32_t limit = slots(known) / 4 * 3;
    if (known->steps >= limit || known->answers >= limit || known->traces >= limit ||
        known->words >= (uint64_t)(KNOWN_WORDS >> known->narrowed) - KNOWN_LONGEST)
        empty(known);
}
