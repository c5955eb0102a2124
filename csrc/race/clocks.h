/* Vector clocks of the race detector: its own, because the search's order every dependent pair and would hide races. */
#ifndef BPOR_CLOCKS_H
#define BPOR_CLOCKS_H
#include "runtime/runtime.h"

struct clock {
    uint32_t at[BPOR_MAX_THREADS];
};

void bpor_clocks_reserve(void);
struct clock *bpor_clock_new(void);
void bpor_clock_free(struct clock *clock);

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
    for (unsigned i = 0; i < bpor->threads; i++)
        if (clock->at[i] < other->at[i])
            clock->at[i] = other->at[i];
}

/* The first thread whose entry the clock has not seen, or BPOR_NO_THREAD. */
static inline unsigned clock_unseen(const struct clock *entries, const struct clock *clock)
{
    if (entries != NULL)
        for (unsigned i = 0; i < bpor->threads; i++)
            if (entries->at[i] > clock->at[i])
                return i;
    return BPOR_NO_THREAD;
}
#endif
