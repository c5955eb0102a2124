/* Accesses of instrumented code about which nothing more is to be done: the running thread has made them since the last
 * scheduling point, and the race detector knows. What marks are for machine code (machine/filter.h) this small table is for
 * callbacks, and it is forgotten wherever those are: a callback first looks here.
 *
 * It outlives executions, and so does the era that tells its entries from older ones. */
#ifndef BPOR_RECENT_H
#define BPOR_RECENT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { RECENT_SLOTS = 1 << 15 }; /* 256 KiB: a nearer cache would hold fewer, but each miss costs ten hits */
/* An entry: an address (47 bits), whether it was written, the logarithm of the size, the era. */
#define RECENT_WRITTEN (1ull << 47)
#define RECENT_SIZE_SHIFT 48
#define RECENT_ERA (1ull << 51)

struct recent {
    uint64_t era;
    bool any; /* entry of this era, or all: */
    bool all; /* nobody looks at accesses: whatever it is, it is like the last one */
    uint64_t slot[RECENT_SLOTS];
};

extern struct recent *bpor_recent; /* NULL: not yet */

void bpor_recent_reserve(void);

static inline uint64_t *bpor_recent_slot(uintptr_t address, unsigned shift)
{
    return &bpor_recent->slot[(address >> shift) % RECENT_SLOTS];
}

static inline uint64_t bpor_recent_entry(uintptr_t address, unsigned shift)
{
    return bpor_recent->era | (uint64_t)shift << RECENT_SIZE_SHIFT | address;
}

static inline bool bpor_recent_has(uintptr_t address, unsigned shift, bool write)
{
    if (bpor_recent == NULL)
        return false;
    if (bpor_recent->all)
        return true;
    uint64_t differs = *bpor_recent_slot(address, shift) ^ bpor_recent_entry(address, shift);
    return write ? differs == RECENT_WRITTEN : (differs & ~RECENT_WRITTEN) == 0;
}

static inline void bpor_recent_add(uintptr_t address, unsigned shift, bool write)
{
    if (address >= RECENT_WRITTEN)
        return;
    *bpor_recent_slot(address, shift) = bpor_recent_entry(address, shift) | (write ? RECENT_WRITTEN : 0);
    bpor_recent->any = true;
}

static inline void bpor_recent_add_all(void)
{
    bpor_recent->any = bpor_recent->all = true;
}

static inline void bpor_recent_forget(void)
{
    if (bpor_recent == NULL || !bpor_recent->any)
        return;
    bpor_recent->any = bpor_recent->all = false;
    bpor_recent->era += RECENT_ERA;
    if (bpor_recent->era == 0) { /* entries of the first era are old ones */
        memset(bpor_recent->slot, 0, sizeof bpor_recent->slot);
        bpor_recent->era = RECENT_ERA;
    }
}
#endif
