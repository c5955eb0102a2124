/* A pool of vector clocks. */
#include "runtime/clocks.h"
#include "runtime/reserve.h"
#include <string.h>

enum { CAPACITY = 1 << 15 };

static struct clock *pool;
static uint32_t used;
static struct clock *unused; /* chained through their first bytes */

void bpor_clocks_reserve(void)
{
    pool = bpor_reserve(sizeof *pool * CAPACITY);
}

struct clock *bpor_clock_new(void)
{
    struct clock *clock = unused;
    if (clock) {
        memcpy(&unused, clock, sizeof unused);
        memset(clock, 0, sizeof *clock);
        return clock;
    }
    if (used == CAPACITY)
        bpor_end(BPOR_OUTCOME_REFUSED, 0, "more than 32768 vector clocks in one execution; --races=off does without them");
    return &pool[used++];
}

void bpor_clock_free(struct clock *clock)
{
    if (clock == NULL)
        return;
    memcpy(clock, &unused, sizeof unused);
    unused = clock;
}
