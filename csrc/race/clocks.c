/* A pool of vector clocks. */
#include "race/clocks.h"
#include "runtime/reserve.h"
#include <string.h>

enum { CAPACITY = 1 << 15 };

/* How many are in use is no part of a state (identity.c). */
static struct pool {
    uint32_t used;
    struct clock *unused; /* chained through their first bytes */
    struct clock clock[CAPACITY];
} * pool;

void bpor_clocks_reserve(void)
{
    pool = bpor_reserve(sizeof *pool);
}

struct clock *bpor_clock_new(void)
{
    struct clock *clock = pool->unused;
    if (clock) {
        memcpy(&pool->unused, clock, sizeof pool->unused);
        memset(clock, 0, sizeof *clock);
        return clock;
    }
    if (pool->used == CAPACITY)
        bpor_end(BPOR_OUTCOME_REFUSED, 0, "more than 32768 vector clocks in one execution; --races=off does without them");
    return &pool->clock[pool->used++];
}

void bpor_clock_free(struct clock *clock)
{
    if (clock == NULL)
        return;
    memcpy(clock, &pool->unused, sizeof pool->unused);
    pool->unused = clock;
}
