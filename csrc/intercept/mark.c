/* The marks of the optional header bpor.h. */
#include "intercept/mark.h"
#include "process/family.h"
#include "runtime/objects.h"
#include "runtime/real.h"
#include "runtime/runtime.h"
#include "runtime/start.h"

enum { AT_ONCE = 64 /* alternatives of one step */ };

void bpor_native_ready(void);
void bpor_native_yield(void);
unsigned bpor_native_choose(unsigned count);
void bpor_native_assume(void);
void bpor_native_container(const void *container, unsigned long entry, unsigned access);

INTERCEPT void bpor_native_ready(void)
{
    bpor_fork_point(BPOR_FORK_AT_READY);
}

INTERCEPT void bpor_native_yield(void)
{
    if (!bpor_controlled())
        return;
    bpor_operation(OP_YIELD, CALL_SITE);
    bpor_step();
}

#define NOT_EXPLORED(call)                                                                                                       \
    refuse_out_of_sight(call ": before the fork point nothing is explored; let executions begin there (--fork-at main)",         \
                        "calls " call " where nothing is explored")

/* Outside of what is explored every execution would go the same way, and the verdict would speak for the others. */
static void refuse_out_of_sight(const char *before, const char *beside)
{
    if (bpor && bpor->attached && !bpor->forked)
        bpor_end(BPOR_OUTCOME_REFUSED, 0, before);
    if (bpor_family_is_watched())
        bpor_family_unseen(beside);
}

static unsigned choose_step(unsigned count, uint64_t before, const void *site)
{
    if (count == 1)
        return 0;
    struct operation *op = bpor_operation(OP_CHOOSE, site);
    op->argument = count;
    op->value = before;
    return (unsigned)bpor_step();
}

/* Many values are chosen digit by digit, the highest first. */
static unsigned choose(unsigned count, uint64_t rest, const void *site)
{
    if (count <= AT_ONCE)
        return choose_step(count, rest, site);
    unsigned high = choose((count - 1) / AT_ONCE + 1, BPOR_CHOOSES_ON, site), left = count - high * AT_ONCE;
    return high * AT_ONCE + choose_step(left < AT_ONCE ? left : AT_ONCE, rest | (uint64_t)high * AT_ONCE, site);
}

unsigned bpor_choose_input(unsigned count, const void *site)
{
    if (count == 0)
        bpor_misuse("bpor_choose(0): there is nothing to choose from");
    return count ? choose(count, 0, site) : 0;
}

void bpor_assume_away(const void *site)
{
    bpor->shared->offers |= BPOR_OFFERS_ASSUMPTION;
    bpor->assumed_away = true;
    bpor_operation(OP_ASSUME, site);
    bpor_step();
}

INTERCEPT unsigned bpor_native_choose(unsigned count)
{
    if (bpor_controlled())
        return bpor_choose_input(count, CALL_SITE);
    NOT_EXPLORED("bpor_choose");
    return 0;
}

INTERCEPT void bpor_native_assume(void)
{
    if (bpor_controlled())
        bpor_assume_away(CALL_SITE);
    NOT_EXPLORED("bpor_assume");
}

enum { CONTAINER_WRITES = 1, CONTAINER_WHOLE = 2 };

/* All entries lie in a region of their own, each at its hash; the whole is the region. (Gueta et al. 2007, section 5.1, has weak
 * and strong accesses; as ranges they need no notion of conflict of their own.) */
static void touch_container(struct operation *op, uintptr_t container, uint64_t entry, unsigned access)
{
    uint64_t site = 0, identity = bpor_canonical(container, BPOR_CLASS_CONTAINER, &site);
    uint64_t region = (uint64_t)BPOR_CLASS_CONTAINER << 60 | (bpor_scatter(identity) >> 36) << 32;
    bool whole = access & CONTAINER_WHOLE;
    uint64_t object = whole ? region : region | (uint32_t)(bpor_scatter(entry) >> 33);
    bpor_emit_place(object, container, site);
    bpor_touch(op, object, whole ? UINT32_MAX : 1, access & CONTAINER_WRITES);
}

INTERCEPT void bpor_native_container(const void *container, unsigned long entry, unsigned access)
{
    if (!bpor_controlled() || bpor->unexplored)
        return;
    struct operation *op = bpor_operation(access & CONTAINER_WRITES ? OP_CONTAINER_WRITE : OP_CONTAINER_READ, CALL_SITE);
    touch_container(op, (uintptr_t)container, entry, access);
    bpor_step();
}
