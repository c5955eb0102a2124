/* A pool of vector clocks. */
#include "race/clocks.h"
#include "runtime/reserve.h"

enum { CAPACITY = 1 << 15, WORD = 64 };

/* How many are in use is no part of a state (identity.c). */
static struct pool {
    uint32_t used;
    struct clock *unused;
    uint8_t clocks[];
} * pool;
unsigned bpor_clock_width;

static size_t bytes_of_clock(void)
{
    return sizeof(struct clock) + bpor_clock_width * sizeof(uint32_t);
}

/* Kernel threads are not rolled back, and have no pool that tells how many there will be. */
static unsigned width(const struct bpor_config *config)
{
    unsigned threads = config->carrier == BPOR_CARRIER_FIBERS ? config->pool + 1 : BPOR_MAX_THREADS;
    return threads < BPOR_MAX_THREADS ? (threads + WORD - 1) / WORD * WORD : BPOR_MAX_THREADS;
}

void bpor_clocks_reserve(void)
{
    bpor_clock_width = width(&bpor->shared->config);
    pool = bpor_reserve(sizeof *pool + CAPACITY * bytes_of_clock());
}

struct clock *bpor_clock_aside(void)
{
    return bpor_reserve_kept(bytes_of_clock());
}

struct clock *bpor_clock_new(void)
{
    struct clock *clock = pool->unused;
    if (clock) {
        pool->unused = clock->unused;
        clock_clear(clock);
        return clock;
    }
    if (pool->used == CAPACITY)
        bpor_end(BPOR_OUTCOME_REFUSED, 0, "more than 32768 vector clocks in one execution; --races=off does without them");
    return (struct clock *)&pool->clocks[pool->used++ * bytes_of_clock()];
}

void bpor_clock_free(struct clock *clock)
{
    if (clock == NULL)
        return;
    clock->unused = pool->unused;
    pool->unused = clock;
}
