/* Spin inference: the third identical look at one place (same value, same call site, same calls around it) with nothing changed
 * by the thread itself in between is a yield, so that loops which wait without saying so end under the fair bound.
 *
 * "Nothing changed" covers the thread's steps and its instrumented plain writes; what a plain write stores is known only
 * afterwards, so its old value is kept and compared at the next look. Registers are out of sight: a loop that counts its own
 * rounds is taken for a waiting one, which costs a wrong yield, never a wrong value. */
#include "runtime/memory.h"
#include "runtime/reserve.h"
#include <string.h>

enum { LOOKS_BEFORE_YIELD = 3, PLACES = 16, WRITES = 8 };

struct look {
    uint64_t where; /* call site and calls around it */
    uint64_t object;
    uint64_t value;
    uint32_t count;
};

struct stored {
    uintptr_t address;
    uint32_t bytes;
    uint64_t before;
};

static struct spin {
    uint32_t looks;  /* used places, until they wrap */
    uint32_t oldest; /* the place to use again */
    uint32_t writes;
    struct look look[PLACES];
    struct stored stored[WRITES];
} * spins;

void bpor_spin_reserve(void)
{
    spins = bpor_reserve(sizeof *spins * BPOR_MAX_THREADS);
}

void bpor_spin_progress(struct thread *thread)
{
    struct spin *spin = &spins[thread->id];
    spin->looks = spin->oldest = spin->writes = 0;
}

static bool stored_something_new(const struct spin *spin)
{
    for (uint32_t i = 0; i < spin->writes; i++) {
        uint64_t now = 0;
        memcpy(&now, (const void *)spin->stored[i].address, spin->stored[i].bytes);
        if (now != spin->stored[i].before)
            return true;
    }
    return false;
}

void bpor_spin_plain_write(struct thread *thread, uintptr_t address, size_t bytes)
{
    struct spin *spin = &spins[thread->id];
    if (spin->looks == 0)
        return;
    for (uint32_t i = 0; i < spin->writes; i++)
        if (spin->stored[i].address == address && spin->stored[i].bytes == bytes)
            return; /* the oldest value is the one to compare with */
    if (spin->writes == WRITES || bytes > sizeof(uint64_t)) {
        bpor_spin_progress(thread);
        return;
    }
    struct stored *stored = &spin->stored[spin->writes++];
    *stored = (struct stored){address, (uint32_t)bytes, 0};
    memcpy(&stored->before, (const void *)address, bytes);
}

bool bpor_spin_repeats(struct thread *thread, uint64_t object, uint64_t value)
{
    struct spin *spin = &spins[thread->id];
    uint64_t where = bpor_mix(thread->op.site, bpor_call_hash(thread));
    if (stored_something_new(spin))
        bpor_spin_progress(thread);
    for (uint32_t i = 0; i < spin->looks; i++) {
        struct look *look = &spin->look[i];
        if (look->where != where || look->object != object)
            continue;
        look->count = look->value == value ? look->count + 1 : 1;
        look->value = value;
        return look->count >= LOOKS_BEFORE_YIELD;
    }
    uint32_t place = spin->looks < PLACES ? spin->looks++ : spin->oldest++ % PLACES;
    spin->look[place] = (struct look){where, object, value, 1};
    return false;
}

/* After a step that is not an access of memory: did it change anything? */
void bpor_spin_step(struct thread *thread)
{
    const struct operation *op = &thread->op;
    switch (op->kind) {
    case OP_READ:
    case OP_WRITE:
    case OP_RMW:
    case OP_CAS:
    case OP_FENCE:
    case OP_YIELD:
    case OP_SLEEP:
        return;
    default:
        if (!(op->flags & BPOR_FLAG_FAILED))
            bpor_spin_progress(thread);
    }
}
