/* Loops of plain accesses only, `while (!flag);`, never reach a scheduling point. A thread that makes many accesses without one
 * is therefore observed: if it repeats the same accesses in the same order and finds the same values, it goes round with nothing
 * changed, and each further round is a yield. Other threads run; what they write is a race, or ends the loop. If nobody writes,
 * the loop is a livelock.
 *
 * A write is compared by the value that it overwrites: a counter in memory differs in each round. A counter in a register cannot
 * be seen in instrumented code, so such a loop is taken for a waiting one; that costs a wrong yield, never a wrong value. Patched
 * machine code shows its registers, so there this does not happen. A loop that makes progress is observed again after twice as
 * many accesses and then for twice as long, so that computing costs next to nothing and a long round is recognised in the end. */
#include "memory/memory.h"
#include "runtime/objects.h"
#include "runtime/reserve.h"
#include <string.h>

enum { FIRST_LOOK = 1 << 17, LAST_LOOK = 1 << 26, LOOK_SHARE = 1 << 10, EQUAL_ROUNDS = 3, LARGEST_ACCESS = 4096 };

struct rounds *bpor_rounds;
__thread int32_t bpor_plain_left;

void bpor_plain_spin_reserve(void)
{
    bpor_rounds = bpor_reserve(sizeof *bpor_rounds * BPOR_MAX_THREADS);
}

static void forget(struct rounds *mine, uint32_t look_at)
{
    *mine = (struct rounds){.look_at = look_at};
}

/* After a step: a new beginning, unless it is the yield of a round. */
void bpor_plain_spin_step(const struct thread *thread)
{
    struct rounds *mine = &bpor_rounds[thread->id];
    mine->pauses = 0;
    if (!(mine->accesses || mine->granted) || (thread->op.kind == OP_YIELD && thread->op.flags & BPOR_FLAG_INFERRED))
        return;
    bool granted = mine->granted;
    forget(mine, FIRST_LOOK);
    if (granted)
        bpor_plain_spin_grant(thread);
}

static uint64_t contents(const volatile void *address, size_t bytes)
{
    const uint8_t *from = (const uint8_t *)address;
    uint64_t hash = bytes;
    for (size_t done = 0; done < bytes; done += sizeof hash) {
        uint64_t word = 0;
        memcpy(&word, from + done, bytes - done < sizeof word ? bytes - done : sizeof word);
        hash = bpor_mix(hash, word);
    }
    return hash;
}

/* Is this access the end of one more round like the last ones? */
static bool went_round(struct rounds *mine, uint64_t where)
{
    if (mine->mark == 0)
        mine->mark = where;
    else if (mine->mark == where) {
        mine->equal = mine->round == mine->last ? mine->equal + 1 : 0;
        mine->last = mine->round;
        mine->round = 0;
        return mine->equal >= EQUAL_ROUNDS;
    }
    return false;
}

static bool spins(const struct thread *thread, struct rounds *mine, const volatile void *address, size_t bytes, const void *site)
{
    uint64_t where = bpor_mix(bpor_mix((uint64_t)site, bpor_call_hash(thread)), (uint64_t)address) | 1;
    bool spins = went_round(mine, where);
    mine->since = mine->mark == where ? 0 : mine->since + 1;
    mine->round = bpor_mix(mine->round, bpor_mix(where, bpor_mix(contents(address, bytes), bpor_call_registers(thread))));
    uint32_t share = mine->look_at / LOOK_SHARE;
    if ((mine->equal == 0 && mine->accesses >= mine->look_at + share) || mine->since > share) /* or it is another loop now */
        forget(mine, mine->look_at < LAST_LOOK ? 2 * mine->look_at : LAST_LOOK);
    return spins;
}

/* The yield carries the address that the loop reads, so that a report can name what the loop waits for. */
static void yield(const volatile void *address, size_t bytes, const void *site)
{
    uint64_t allocation_site, object = bpor_canonical((uintptr_t)address, BPOR_CLASS_MEMORY, &allocation_site);
    struct operation *op = bpor_operation(OP_YIELD, site);
    op->flags = BPOR_FLAG_INFERRED;
    bpor_touch(op, object, (uint32_t)bytes, false);
    bpor_step();
}

void bpor_plain_spin(struct thread *thread, const volatile void *address, size_t bytes, const void *site, bool counted)
{
    struct rounds *mine = &bpor_rounds[thread->id];
    mine->pauses = 0;
    mine->accesses += counted;
    if (mine->accesses < mine->look_at)
        return;
    if (mine->look_at == 0 || bytes > LARGEST_ACCESS)
        forget(mine, FIRST_LOOK);
    else if (bpor_controlled() && spins(thread, mine, address, bytes, site)) {
        yield(address, bytes, site);
    }
}
