/* Vectors of counts, joined: what two clocks know together. */
#ifndef BPOR_JOIN_H
#define BPOR_JOIN_H
#include <stdint.h>

/* A register that every processor has. */
typedef uint32_t joined_counts __attribute__((vector_size(16), aligned(4), may_alias));

/* Entry by entry the greater one. */
static inline void bpor_join(uint32_t *into, const uint32_t *other, unsigned count)
{
    enum { LANES = sizeof(joined_counts) / sizeof(uint32_t) };
    unsigned i = 0;
    for (; i + LANES <= count; i += LANES) {
        joined_counts *mine = (joined_counts *)&into[i];
        const joined_counts more = *(const joined_counts *)&other[i], less = (joined_counts)(*mine < more);
        *mine = (*mine & ~less) | (more & less);
    }
    for (; i < count; i++)
        if (into[i] < other[i])
            into[i] = other[i];
}
#endif
