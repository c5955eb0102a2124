/* A freed block can be used only by a thread that has its address. So all live words (state/identity.h) are searched, including
 * those that a thread has in registers, and each word that could be an address in the block counts: at any byte of memory,
 * whatever its highest 16 bits are, since programs keep tags and counters there. Words in freed blocks do not count: reading them
 * is already a use of a freed block. Addresses that the program stores in another form (the exclusive or of two addresses, the
 * distance from another block) are not recognised.
 *
 * Only words that differ from their value at the fork point are searched. A word that had the same value then, when something
 * else lay there, is searched for once for each place. */
#include "memory/reached.h"
#include "arch/x86_64/context.h"
#include "arch/x86_64/page.h"
#include "reset/pages.h"
#include "runtime/reserve.h"
#include "runtime/runtime.h"
#include "state/identity.h"
#include <string.h>

enum { PLACES = 1 << 12 };
static const uint64_t address_bits = ((uint64_t)1 << 48) - 1;

/* Outlives executions: the fork point is that of all. */
static struct known_place {
    uintptr_t start;
    uintptr_t end;
    bool reached; /* from memory as it was at the fork point */
} * known_place;

void bpor_reached_reserve(void)
{
    known_place = bpor_reserve_kept(PLACES * sizeof *known_place);
}

struct look {
    struct candidate *blocks;
    unsigned count;
    uintptr_t low, high; /* no block lies outside */
};

/* Shell's sort: most of them are in order already. */
static void sort(struct candidate *blocks, unsigned count)
{
    for (unsigned gap = count / 2; gap; gap /= 2)
        for (unsigned i = gap; i < count; i++) {
            struct candidate block = blocks[i];
            unsigned at = i;
            for (; at >= gap && blocks[at - gap].start > block.start; at -= gap)
                blocks[at] = blocks[at - gap];
            blocks[at] = block;
        }
}

/* One past the end of a block is an address that belongs to it, too. */
static struct candidate *block_of(const struct look *look, uintptr_t address)
{
    unsigned low = 0, high = look->count;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (look->blocks[middle].end < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < look->count && look->blocks[low].start <= address ? &look->blocks[low] : NULL;
}

static bool could_be_one(const struct look *look, uint64_t value)
{
    return (value & address_bits) - look->low <= look->high - look->low;
}

static void note(const struct look *look, uintptr_t place, uint64_t value)
{
    struct candidate *block = could_be_one(look, value) ? block_of(look, value & address_bits) : NULL;
    if (block && !block_of(look, place))
        block->reached = true;
}

static void look_at_word(uintptr_t place, uint64_t value, unsigned thread, void *data)
{
    note(data, place, value);
    for (unsigned byte = 1; thread == BPOR_NO_THREAD && byte < sizeof value && place % PAGE + byte + sizeof value <= PAGE;
         byte++) {
        memcpy(&value, (const void *)(place + byte), sizeof value);
        note(data, place, value);
    }
}

static void look_at_page(uintptr_t page, const uint8_t *before, void *data)
{
    const uint64_t *word = (const uint64_t *)before;
    (void)page;
    for (unsigned i = 0; i < PAGE / sizeof *word; i++)
        note(data, 0, word[i]);
}

static bool was_reached_at_fork_point(const struct candidate *block)
{
    struct known_place *place = &known_place[bpor_mix(block->start, block->end) % PLACES];
    if (place->start != block->start || place->end != block->end) {
        struct candidate one = {.start = block->start, .end = block->end};
        bpor_pages_each_remembered(look_at_page, &(struct look){&one, 1, one.start, one.end});
        *place = (struct known_place){one.start, one.end, one.reached};
    }
    return place->reached;
}

bool bpor_reached(struct candidate *blocks, unsigned count)
{
    struct registers parked = bpor_self->parked;
    bpor_context_note(&bpor_self->parked);
    sort(blocks, count);
    struct look look = {blocks, count, blocks[0].start, blocks[count - 1].end};
    const char *problem = bpor_state_each_word(look_at_word, &look);
    bpor_self->parked = parked;
    for (unsigned i = 0; i < count && !problem; i++)
        if (!blocks[i].reached)
            blocks[i].reached = was_reached_at_fork_point(&blocks[i]);
    return !problem;
}
