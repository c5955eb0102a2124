/* Counts of yields, normalised: they say the same of whom a fair bound keeps waiting, and there are finitely many of them, so
 * that a loop which yields comes back to a state (erratum E41). The search counts so where it recognises states, and so does the
 * runtime that runs ahead of it. */
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
