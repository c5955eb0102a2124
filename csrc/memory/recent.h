/* Accesses of instrumented code about which nothing more is to be done: the running thread has made them since the last
 * scheduling point, and the race detector knows. What marks are for machine code (machine/filter.h) this small table is for
 * callbacks, and it is forgotten wherever those are: a callback first looks here, and so does the code that stands in place of
 * its call (assembler/fast_path.c), by the same test.
 *
 * It outlives executions, and so does the era that tells its entries from older ones. */
#ifndef BPOR_RECENT_H
#define BPOR_RECENT_H
#include "instrument/recent_layout.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* An entry: an address (47 bits), the logarithm of the size, the era, whether it was written. All but the address is the key. */
#define RECENT_ADDRESSES (1ull << 47)
#define RECENT_SIZE_SHIFT 47
#define RECENT_ERA (1ull << 50)
#define RECENT_WRITTEN (1ull << 63)

struct recent {
    uint8_t mode; /* enum recent_mode; RECENT_ALL: nobody looks at accesses: whatever it is, it is like the last one */
    bool any;     /* entry of this era, or all */
    int64_t left; /* where bpor_plain_left is, from the thread pointer */
    uint64_t key[RECENT_SIZES][2];
    uint64_t era;
    uint64_t slot[RECENT_SLOTS] __attribute__((aligned(RECENT_AT_SLOTS)));
};

extern struct recent *bpor_recent; /* NULL: not yet */

/* Is the access that calls from here counted by another one (assembler/fast_path.c)? */
static inline bool bpor_recent_is_uncounted(const void *site)
{
    static const uint8_t mark[] = {RECENT_UNCOUNTED};
    for (unsigned i = 0; i < sizeof mark; i++) /* one by one: code may end before */
        if (((const uint8_t *)site)[i] != mark[i])
            return false;
    return true;
}

/* For a module that is loaded before anybody knows whether the process is controlled: nothing is in it, and nothing gets in.
 * NULL: there is no room. */
struct recent *bpor_recent_early(void);
void bpor_recent_reserve(void);
/* From now on every access calls. */
void bpor_recent_off(void);
void bpor_recent_next_era(void);

static inline uint64_t *bpor_recent_slot(uintptr_t address, unsigned shift)
{
    return &bpor_recent->slot[(address >> shift) % RECENT_SLOTS];
}

static inline bool bpor_recent_has(uintptr_t address, unsigned shift, bool write)
{
    if (bpor_recent == NULL || bpor_recent->mode != RECENT_TABLE)
        return bpor_recent && bpor_recent->mode == RECENT_ALL;
    uint64_t differs = *bpor_recent_slot(address, shift) ^ address ^ bpor_recent->key[shift][write];
    return write ? differs == 0 : (differs & ~RECENT_WRITTEN) == 0;
}

static inline void bpor_recent_add(uintptr_t address, unsigned shift, bool write)
{
    if (address >= RECENT_ADDRESSES)
        return;
    *bpor_recent_slot(address, shift) = address ^ bpor_recent->key[shift][write];
    bpor_recent->any = true;
}

static inline void bpor_recent_add_all(void)
{
    if (bpor_recent->mode == RECENT_CALL)
        return;
    bpor_recent->any = true;
    bpor_recent->mode = RECENT_ALL;
}

static inline void bpor_recent_forget(void)
{
    if (bpor_recent && bpor_recent->any)
        bpor_recent_next_era();
}
#endif
