/* Vector clocks of the race detector: its own, because the search's order every dependent pair and would hide races. */
#ifndef BPOR_CLOCKS_H
#define BPOR_CLOCKS_H
#include "protocol/join.h"
#include "runtime/runtime.h"
#include <string.h>

/* As wide as the threads that there may be: see bpor_clock_width. Never copied by assignment. */
struct clock {
    struct clock *unused; /* the next one, in the pool */
    uint32_t at[];
};

/* Threads that clocks have room for, decided before the first: small ones share pages, which rollback puts back one by one.
 * Whoever makes more threads starts again with a larger pool of fibers. */
extern unsigned bpor_clock_width;

void bpor_clocks_reserve(void);
/* Outside of the pool: made anew by whoever looks at it. */
struct clock *bpor_clock_aside(void);
struct clock *bpor_clock_new(void);
void bpor_clock_free(struct clock *clock);

static inline void clock_clear(struct clock *clock)
{
    memset(clock->at, 0, bpor_clock_width * sizeof clock->at[0]);
}

static inline void clock_copy(struct clock *clock, const struct clock *other)
{
    memcpy(clock->at, other->at, bpor_clock_width * sizeof clock->at[0]);
}

/* A clock that need not exist yet: NULL is zero everywhere. */
static inline struct clock *clock_made(struct clock **clock)
{
    if (*clock == NULL)
        *clock = bpor_clock_new();
    return *clock;
}

static inline void clock_join(struct clock *clock, const struct clock *other)
{
    if (other == NULL)
        return;
    bpor_join(clock->at, other->at, bpor->threads);
}

/* The first thread whose entry the clock has not seen, or BPOR_NO_THREAD. Either may be NULL. */
static inline unsigned clock_unseen(const struct clock *entries, const struct clock *clock)
{
    if (entries != NULL)
        for (unsigned i = 0; i < bpor->threads; i++)
            if (entries->at[i] > (clock ? clock->at[i] : 0))
                return i;
    return BPOR_NO_THREAD;
}
#endif
