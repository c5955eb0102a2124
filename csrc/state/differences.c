/* The words of the last state that was compared are kept in a table; a word that is not in it is what it was at the fork point,
 * and counts as 0. The parts of a state that are no words of memory (objects, files, mappings) count as two further words at
 * addresses that do not exist.
 */
#include "state/differences.h"
#include "runtime/reserve.h"
#include "runtime/runtime.h"
#include "state/identity.h"
#include <string.h>

enum { SLOTS = 1 << 18, MOST_KEPT = SLOTS / 2, BEYOND_LOW = 1, BEYOND_HIGH = 2 };

struct kept {
    uintptr_t address; /* 0: a free place */
    uint64_t value;
    uint32_t round; /* when it was seen last */
    uint16_t thread;
};

/* Outlives executions, as that of probes does (probe.c). */
static struct differences {
    uint32_t rounds;
    uint32_t count;
    uint32_t used[MOST_KEPT]; /* places in `kept` */
    struct kept kept[SLOTS];
} * differences;

struct telling {
    void (*tell)(uintptr_t, uint64_t, uint64_t, unsigned);
    bool silent; /* the first state: there is nothing to compare it with */
};

void bpor_differences_reserve(void)
{
    differences = bpor_reserve_kept(sizeof *differences);
}

static struct kept *find(uintptr_t address)
{
    unsigned slot = (unsigned)bpor_mix(address, 6) % SLOTS;
    while (differences->kept[slot].address && differences->kept[slot].address != address)
        slot = (slot + 1) % SLOTS;
    return &differences->kept[slot];
}

static void compare(uintptr_t address, uint64_t value, unsigned thread, void *data)
{
    const struct telling *telling = data;
    struct kept *kept = find(address);
    if (kept->address == 0) {
        if (differences->count == MOST_KEPT)
            bpor_end(BPOR_OUTCOME_STOPPED, 0, "an execution changes more memory than can be compared");
        differences->used[differences->count++] = (uint32_t)(kept - differences->kept);
        *kept = (struct kept){.address = address, .thread = (uint16_t)thread};
    }
    if (kept->value != value && !telling->silent)
        telling->tell(address, value, kept->value, thread);
    kept->value = value;
    kept->round = differences->rounds;
}

static void compare_gone(const struct telling *telling)
{
    for (unsigned i = 0; i < differences->count; i++) {
        struct kept *kept = &differences->kept[differences->used[i]];
        if (kept->round != differences->rounds && kept->value) {
            telling->tell(kept->address, 0, kept->value, kept->thread);
            kept->value = 0;
        }
    }
}

static void begin(void)
{
    while (differences->count > 0)
        differences->kept[differences->used[--differences->count]] = (struct kept){0};
    differences->rounds = 0;
}

void bpor_differences_tell(void (*tell)(uintptr_t address, uint64_t now, uint64_t before, unsigned thread))
{
    const struct bpor_plan *plan = &bpor->plan;
    if (!plan->compare_every || bpor->steps < plan->compare_from || (bpor->steps - plan->compare_from) % plan->compare_every)
        return;
    if (bpor->steps == plan->compare_from)
        begin();
    struct telling telling = {tell, differences->rounds++ == 0};
    struct digest beyond = {0, 0};
    const char *problem = bpor_state_each_word(compare, &telling);
    if (problem) {
        strncpy(bpor->shared->unidentified, problem, sizeof bpor->shared->unidentified - 1);
        bpor_end(BPOR_OUTCOME_STOPPED, 0, problem);
    }
    bpor_state_beyond_words(&beyond);
    compare(BEYOND_LOW, beyond.low, BPOR_NO_THREAD, &telling);
    compare(BEYOND_HIGH, beyond.high, BPOR_NO_THREAD, &telling);
    compare_gone(&telling);
}
