/* Normalised counts of yields. A fair bound blocks the same threads under normalised counts as under the real ones, but there are
 * only finitely many normalised counts, so a loop that yields comes back to a state (erratum E41). Where states are recognised,
 * both the search and the runtime that runs ahead of it use them. */
#ifndef BPOR_ENGINE_YIELDS_H
#define BPOR_ENGINE_YIELDS_H
#include <stdint.h>

/* Of the live threads: the smallest becomes 0, and a gap between neighbours that is larger than fair + 1 becomes fair + 1. */
static inline void yields_normalise(uint32_t **count, unsigned threads, uint32_t fair)
{
    uint32_t level = 0, before = 0;
    for (unsigned done = 0, first = 0; done < threads; first = done) {
        uint32_t least = UINT32_MAX;
        for (unsigned i = first; i < threads; i++)
            least = *count[i] < least ? *count[i] : least;
        uint32_t gap = least - before;
        level += first == 0 ? 0 : gap <= fair ? gap : fair + 1;
        before = least;
        for (unsigned i = first; i < threads; i++) {
            if (*count[i] != least)
                continue;
            uint32_t *moved = count[i];
            count[i] = count[done];
            count[done++] = moved;
        }
        for (unsigned i = first; i < done; i++)
            *count[i] = level;
    }
}
#endif
