/* Digests of 128 bits: two sums of 64 that scramble the same values differently. A sequence depends on the order of its values; a
 * set is the sum of its members, in whatever order they come. */
#ifndef BPOR_DIGEST_H
#define BPOR_DIGEST_H
#include <stdint.h>

struct digest {
    uint64_t low;
    uint64_t high;
};

/* One to one, every bit of the result depends on every bit given. */
static inline uint64_t scramble(uint64_t bits)
{
    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
    return bits ^ bits >> 31;
}

static inline void digest_next(struct digest *sequence, uint64_t value)
{
    sequence->low = scramble(sequence->low ^ value);
    sequence->high = scramble(sequence->high + (value << 32 | value >> 32));
}

static inline struct digest digest_of(uint64_t first)
{
    struct digest sequence = {0x243f6a8885a308d3u, 0x13198a2e03707344u};
    digest_next(&sequence, first);
    return sequence;
}

static inline void digest_include(struct digest *set, struct digest member)
{
    set->low += member.low;
    set->high += member.high;
}
#endif
