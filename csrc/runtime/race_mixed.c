/* Is any memory accessed both atomically and not, by whatever executions there were? While none is, who accessed a place
 * atomically decides no race to come, and is left out of identities (race_state.c).
 *
 * All executions count, not only the one that runs: a state whose past has the atomic access may be taken for one whose past has
 * not, and only the future of the latter, explored long ago, shows the plain one. So the two tables are never rolled back. They
 * have one bit for many words: to find too many mixed costs states, never a race. */
#include "runtime/race.h"
#include "runtime/reserve.h"
#include "runtime/runtime.h"

enum { SLOTS = 1 << 16, WORD = 8 };

static struct mixed {
    uint64_t atomic[SLOTS / 64];
    uint64_t plain[SLOTS / 64];
} * mixed;

void bpor_mixed_reserve(void)
{
    mixed = bpor_reserve_kept(sizeof *mixed);
}

static void note(uint64_t *mine, const uint64_t *others, uintptr_t address, size_t bytes)
{
    if (bpor->shared->past_read & BPOR_PAST_ATOMICS)
        return;
    for (uintptr_t word = address / WORD; word <= (address + bytes - 1) / WORD; word++) {
        uint64_t slot = (word * 0x9e3779b97f4a7c15u) >> 48, bit = 1ull << slot % 64;
        mine[slot / 64] |= bit;
        if (others[slot / 64] & bit)
            bpor->shared->past_read |= BPOR_PAST_ATOMICS;
    }
}

void bpor_mixed_atomic(uintptr_t address, size_t bytes)
{
    note(mixed->atomic, mixed->plain, address, bytes);
}

void bpor_mixed_plain(uintptr_t address, size_t bytes)
{
    note(mixed->plain, mixed->atomic, address, bytes);
}
