/* Spin inference: the third identical look at one place (same value, same call site, same calls around it) with nothing changed
 * by the thread itself in between is a yield, so that loops which wait without saying so end under the fair bound.
 *
 * "Nothing changed" covers the thread's steps and its instrumented plain writes; what a plain write stores is known only
 * afterwards, so its old value is kept and compared at the next look. If others reach the same place by operations, its change is
 * balanced with theirs from the next step on: most spin locks are given back by a plain move. Registers are out of sight here:
 * whether the loop only counts its rounds circle.c tells. */
#include "machine/filter.h"
#include "memory/memory.h"
#include "model/futex.h"
#include "runtime/reserve.h"
#include <string.h>

enum { PLACES = 16, WRITES = 8 };

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
    bool watched; /* somebody asked for its changes (circle.c) */
    struct changed changed;
    uint32_t looks;  /* used places, until they wrap */
    uint32_t oldest; /* the place to use again */
    uint32_t writes;
    uint32_t settled; /* of them, those before the last step */
    struct look look[PLACES];
    struct stored stored[WRITES];
} * spins;

void bpor_spin_reserve(void)
{
    spins = bpor_reserve(sizeof *spins * BPOR_MAX_THREADS);
}

static void forget_looks(struct spin *spin)
{
    spin->looks = spin->oldest = 0;
}

void bpor_spin_progress(struct thread *thread)
{
    struct spin *spin = &spins[thread->id];
    forget_looks(spin);
    spin->writes = spin->settled = 0;
    spin->changed.progress++;
}

void bpor_spin_changed(struct thread *thread, uint64_t object, uint64_t before, uint64_t now)
{
    struct spin *spin = &spins[thread->id];
    forget_looks(spin);
    spin->changed.balance += bpor_mix(bpor_mix(1, object), now) - bpor_mix(bpor_mix(1, object), before);
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

void bpor_spin_stores(struct thread *thread, uintptr_t address, size_t bytes)
{
    struct spin *spin = &spins[thread->id];
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

void bpor_spin_plain_write(struct thread *thread, uintptr_t address, size_t bytes)
{
    if (bpor_spin_minds_writes(thread))
        bpor_spin_stores(thread, address, bytes);
}

/* Nobody else has run since these writes. */
void bpor_spin_settle(struct thread *thread)
{
    struct spin *spin = &spins[thread->id];
    uint32_t kept = spin->settled;
    for (uint32_t i = kept; i < spin->writes; i++) {
        struct stored stored = spin->stored[i];
        const struct location *location = bpor_location_known(stored.address, stored.bytes);
        uint64_t now = 0;
        if (location) {
            memcpy(&now, (const void *)stored.address, stored.bytes);
            bpor_spin_changed(thread, location->id, stored.before, now);
        } else {
            spin->stored[kept++] = stored;
        }
    }
    spin->writes = spin->settled = kept;
}

bool bpor_spin_minds_writes(const struct thread *thread)
{
    return spins[thread->id].looks || spins[thread->id].watched;
}

uint32_t bpor_spin_looks(struct thread *thread, uint64_t object, uint64_t value)
{
    struct spin *spin = &spins[thread->id];
    uint64_t where = bpor_mix(thread->op.site, bpor_call_hash(thread));
    bpor_filter_forget(); /* from here on its writes matter, those too that it has done before */
    if (stored_something_new(spin))
        bpor_spin_progress(thread);
    for (uint32_t i = 0; i < spin->looks; i++) {
        struct look *look = &spin->look[i];
        if (look->where != where || look->object != object)
            continue;
        look->count = look->value == value ? look->count + 1 : 1;
        look->value = value;
        return look->count;
    }
    uint32_t place = spin->looks < PLACES ? spin->looks++ : spin->oldest++ % PLACES;
    spin->look[place] = (struct look){where, object, value, 1};
    return 1;
}

struct changed bpor_spin_changes(struct thread *thread)
{
    struct spin *spin = &spins[thread->id];
    spin->watched = true;
    bpor_filter_forget();
    if (stored_something_new(spin))
        bpor_spin_progress(thread);
    return spin->changed;
}

struct changed bpor_spin_noted(const struct thread *thread)
{
    return spins[thread->id].changed;
}

void bpor_spin_digest(const struct thread *thread, struct digest *set)
{
    const struct spin *spin = &spins[thread->id];
    struct digest mine = digest_of(thread->id);
    digest_next(&mine, (uint64_t)spin->oldest << 32 | spin->looks << 1 | spin->watched);
    for (uint32_t i = 0; i < spin->looks; i++) {
        const struct look *look = &spin->look[i];
        digest_next(&mine, look->where);
        digest_next(&mine, look->object);
        digest_next(&mine, look->value);
        digest_next(&mine, look->count < LOOKS_BEFORE_YIELD ? look->count : LOOKS_BEFORE_YIELD);
    }
    for (uint32_t i = 0; i < spin->writes; i++) {
        digest_next(&mine, spin->stored[i].address << 4 | spin->stored[i].bytes);
        digest_next(&mine, spin->stored[i].before);
    }
    digest_include(set, mine);
}

/* A requeue that wakes nobody and leaves them where they are tells how many wait. */
static bool counts_waiters(const struct operation *op)
{
    const struct futex_call *call = (const struct futex_call *)(uintptr_t)op->argument;
    return call->wake == 0 && call->queue == call->second_queue;
}

enum change { CHANGES_NOTHING, TAKES, GIVES_BACK, GETS_ON };

static enum change change_of(const struct operation *op)
{
    switch (op->kind) {
    case OP_READ: /* accesses of memory tell their changes themselves */
    case OP_WRITE:
    case OP_RMW:
    case OP_CAS:
    case OP_FENCE:
    case OP_YIELD:
    case OP_SLEEP:
        return CHANGES_NOTHING;
    case OP_COND_WAIT: /* its mutex comes back when it wakes */
    case OP_SEM_GETVALUE:
    case OP_FUTEX_WAIT:
        return CHANGES_NOTHING;
    case OP_MUTEX_UNLOCK:
    case OP_RWLOCK_UNLOCK:
    case OP_SPIN_UNLOCK:
    case OP_FILE_UNLOCK:
    case OP_PYMUTEX_UNLOCK:
    case OP_GIL_DROP:
    case OP_SEM_POST:
        return GIVES_BACK;
    case OP_SEM_WAIT:
    case OP_SEM_TRYWAIT:
    case OP_SEM_TIMEDWAIT:
        return TAKES;
    case OP_FUTEX_WAKE:
        return op->value == 0 ? CHANGES_NOTHING : GETS_ON;
    case OP_FUTEX_REQUEUE:
        return op->value == 0 || counts_waiters(op) ? CHANGES_NOTHING : GETS_ON;
    case OP_COND_WAKE:
        return GETS_ON;
    default:
        return bpor_properties(op->kind) & ACQUIRE ? TAKES : GETS_ON;
    }
}

/* After a step: did it change anything? One that failed, timed out or woke for no reason did not. */
void bpor_spin_step(struct thread *thread)
{
    struct spin *spin = &spins[thread->id];
    const struct operation *op = &thread->op;
    enum change change = op->flags & (BPOR_FLAG_FAILED | BPOR_FLAG_TIMEOUT | BPOR_FLAG_YIELD) ? CHANGES_NOTHING : change_of(op);
    if (change == CHANGES_NOTHING)
        return;
    if (change == GETS_ON) {
        bpor_spin_progress(thread);
        return;
    }
    forget_looks(spin);
    uint64_t object = bpor_mix(2, op->accesses ? op->access[0].object : 0);
    spin->changed.balance += change == TAKES ? object : -object;
}
