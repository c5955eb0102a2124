/* The tables of known steps: open addressing, nothing is ever taken out; one that fills up empties all. */
#include "engine/known.h"
#include <string.h>

enum { LIMIT = KNOWN_SLOTS / 4 * 3 };

static uint32_t slot_of(uint64_t key, uint32_t tried)
{
    return (uint32_t)((key * 0x9e3779b97f4a7c15u >> 44) + tried) % KNOWN_SLOTS;
}

/* The entry, or the free one where it belongs. */
struct known_step *known_find(struct known *known, uint64_t key)
{
    uint32_t tried = 0;
    while (known->step[slot_of(key, tried)].key != key && known->step[slot_of(key, tried)].key && tried < KNOWN_SLOTS)
        tried++;
    return &known->step[slot_of(key, tried)];
}

static uint64_t *find(uint64_t *table, uint64_t key)
{
    uint32_t tried = 0;
    while (table[slot_of(key, tried)] != key && table[slot_of(key, tried)] && tried < KNOWN_SLOTS)
        tried++;
    return &table[slot_of(key, tried)];
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

static void empty(struct known *known)
{
    if (known->steps + known->answers + known->traces == 0)
        return;
    known->steps = known->answers = known->traces = known->words = 0;
    memset(known->step, 0, sizeof known->step);
    memset(known->answer, 0, sizeof known->answer);
    memset(known->trace, 0, sizeof known->trace);
}

void known_forget(struct known *known)
{
    known->contradicts = false;
    known->executed = known->checked = known->refused = known->site = known->where = 0;
    empty(known);
}

bool known_has_key(uint64_t *table, uint64_t key)
{
    return *find(table, key) == key;
}

/* True if it is new. */
bool known_add_key(uint64_t *table, uint64_t key)
{
    uint64_t *entry = find(table, key);
    bool new = *entry == 0;
    *entry = key;
    return new;
}

void known_make_room(struct known *known)
{
    if (known->steps >= LIMIT || known->answers >= LIMIT || known->traces >= LIMIT || known->words >= KNOWN_WORDS - KNOWN_LONGEST)
        empty(known);
}
