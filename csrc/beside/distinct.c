/* Distinct: how many different 64-bit hashes were seen, by adaptive sampling (Wegman; Flajolet, "On adaptive sampling", 1990):
 * exact until the table is full; from then on only hashes whose low `level` bits are zero are kept, and the count is scaled. The
 * same tables, slot by slot, as bpor/search/distinct.py, which says why no more than 3 * cap are kept at any size of the table.
 */
#include "beside/tally.h"
#include <string.h>

enum { FIRST_BITS = 8 };

void distinct_begin(struct bpor_distinct *distinct)
{
    distinct->level = distinct->half = distinct->zero = 0;
    distinct->used = 0;
    distinct->bits = FIRST_BITS;
    memset(distinct->slot[0], 0, sizeof(uint64_t) << FIRST_BITS);
}

/* True if it is new. */
static bool put(uint64_t *slots, unsigned bits, uint64_t value)
{
    uint64_t mask = (1ull << bits) - 1;
    uint64_t at = value * 0x9e3779b97f4a7c15u >> (64 - bits); /* the slot must not depend on the bits that sampling fixes */
    for (; slots[at]; at = (at + 1) & mask)
        if (slots[at] == value)
            return false;
    slots[at] = value;
    return true;
}

static bool kept(uint64_t value, unsigned level)
{
    return value && !(value & ((1ull << level) - 1));
}

static uint64_t count_kept(const struct bpor_distinct *distinct, unsigned level)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < 1ull << distinct->bits; i++)
        count += kept(distinct->slot[distinct->half][i], level);
    return count;
}

static void make_room(struct bpor_distinct *distinct, uint64_t cap)
{
    unsigned bits = distinct->bits;
    uint64_t count = count_kept(distinct, distinct->level);
    while (count > 3 * cap)
        count = count_kept(distinct, ++distinct->level);
    while (count * 4 > 1ull << bits && 1ull << bits < 4 * cap)
        bits++;
    const uint64_t *from = distinct->slot[distinct->half];
    uint64_t *to = distinct->slot[1 - distinct->half];
    memset(to, 0, sizeof(uint64_t) << bits);
    for (uint64_t i = 0; i < 1ull << distinct->bits; i++)
        if (kept(from[i], distinct->level))
            put(to, bits, from[i]);
    distinct->half = 1 - distinct->half;
    distinct->bits = bits;
    distinct->used = count;
}

bool distinct_add(struct bpor_distinct *distinct, uint64_t value, uint64_t cap)
{
    if (value & ((1ull << distinct->level) - 1))
        return true; /* nobody knows */
    if (value == 0) {
        distinct->zero = 1;
        return true;
    }
    if (!put(distinct->slot[distinct->half], distinct->bits, value))
        return false;
    if (++distinct->used > 3 * cap || distinct->used * 4 > (1ull << distinct->bits) * 3)
        make_room(distinct, cap);
    return true;
}
