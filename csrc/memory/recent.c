#include "memory/recent.h"
#include "memory/memory.h"
#include "runtime/reserve.h"

_Static_assert(offsetof(struct recent, mode) == RECENT_AT_MODE, "the mode");
_Static_assert(offsetof(struct recent, left) == RECENT_AT_LEFT, "what is left");
_Static_assert(offsetof(struct recent, key) == RECENT_AT_KEYS, "the keys");
_Static_assert(offsetof(struct recent, slot) == RECENT_AT_SLOTS, "the slots");

struct recent *bpor_recent;

static void set_keys(void)
{
    for (unsigned shift = 0; shift < RECENT_SIZES; shift++) {
        bpor_recent->key[shift][false] = bpor_recent->era | (uint64_t)shift << RECENT_SIZE_SHIFT;
        bpor_recent->key[shift][true] = bpor_recent->key[shift][false] | RECENT_WRITTEN;
    }
}

struct recent *bpor_recent_early(void)
{
    if (bpor_recent == NULL)
        bpor_recent = bpor_reserve_kept_early(sizeof *bpor_recent);
    return bpor_recent;
}

void bpor_recent_reserve(void)
{
    if (bpor_recent == NULL)
        bpor_recent = bpor_reserve_kept(sizeof *bpor_recent);
    memset(bpor_recent, 0, sizeof *bpor_recent); /* its pages are there before an execution touches them (reset/faults.h) */
    bpor_recent->left = (intptr_t)&bpor_plain_left - (intptr_t)__builtin_thread_pointer();
    bpor_recent->era = RECENT_ERA; /* entries of the first era are old ones */
    set_keys();
    bpor_recent->mode = RECENT_TABLE;
}

void bpor_recent_off(void)
{
    if (bpor_recent)
        bpor_recent->mode = RECENT_CALL;
}

void bpor_recent_next_era(void)
{
    bpor_recent->any = false;
    if (bpor_recent->mode == RECENT_ALL)
        bpor_recent->mode = RECENT_TABLE;
    bpor_recent->era = (bpor_recent->era + RECENT_ERA) % RECENT_WRITTEN;
    if (bpor_recent->era == 0) {
        memset(bpor_recent->slot, 0, sizeof bpor_recent->slot);
        bpor_recent->era = RECENT_ERA;
    }
    set_keys();
}
