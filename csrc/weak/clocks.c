/* Storage for clocks. All clocks have the number of threads, rounded up, as their length, so that an execution touches few pages:
 * each costs a page fault. */
#include "runtime/reserve.h"
#include "weak/weak.h"
#include <string.h>

enum { NARROW = 4 };
uint32_t weak_width;

void weak_clocks_begin(void)
{
    weak_width = NARROW;
}

uint32_t *weak_clocks_reserve(size_t count)
{
    return bpor_reserve_kept(count * WEAK_THREADS * sizeof(uint32_t));
}

bool weak_clocks_are_narrow(unsigned thread)
{
    return thread >= weak_width;
}

void weak_clocks_widen(uint32_t *clocks, size_t count)
{
    size_t from = weak_width, to = 2 * from;
    while (count-- > 0) {
        memmove(clocks + count * to, clocks + count * from, from * sizeof *clocks);
        memset(clocks + count * to + from, 0, from * sizeof *clocks);
    }
}

void weak_clocks_widened(void)
{
    weak_width *= 2;
}
