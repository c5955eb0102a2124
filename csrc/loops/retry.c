/* See retry.h. What a look leads to is never guessed but was seen: code that begins with the same registers and stack, gets the
 * same value and reads the same from memory comes to the same place and writes the same. So a fact is all of that, as one digest:
 * where the thread stood before the look, the value, where it stands before its next operation, and what it read and wrote in
 * between. A thread that has looked at one place twice asks whether there is the fact of one look, made first, with the value of
 * the second.
 *
 * An answer decides which executions there are below a state, so it must be the same whenever the search comes there again: only
 * what was known when it came there for the first time counts. */
#include "loops/retry.h"
#include "beside/search.h"
#include "loops/around.h"
#include "machine/filter.h"
#include "machine/machine.h"
#include "race/race.h"
#include "runtime/reserve.h"
#include "state/digest.h"
#include "weak/weak.h"
#include <string.h>

enum { LOOKS = 4, ACCESSES = 32, STACK_BYTES = 8192, SLOTS = 1 << 14, ROOM = SLOTS / 4 * 3 };
enum { DEEPEST = 1 << 14 }; /* state, in steps, at which questions are asked */

/* ---- what is known of looks, in all executions ---- */

struct fact {
    struct digest what;
    uint64_t shown; /* by this execution; 0: there is no fact */
};

static struct facts {
    uint64_t execution;
    uint32_t used; /* slots */
    uint32_t phase;
    struct manner {
        bool relaxed; /* there are atomic accesses that order nothing */
        bool timed;   /* a clock is read: what time it is depends on who has looked at what */
    } manner, seen;   /* that holds in this phase, and what any execution has shown */
    struct fact slot[SLOTS];
    uint64_t came[DEEPEST]; /* which execution came first to the states on the way of this one */
} * facts;

static struct fact *find(struct digest what)
{
    uint64_t at = what.low % SLOTS;
    while (facts->slot[at].shown && memcmp(&facts->slot[at].what, &what, sizeof what) != 0)
        at = (at + 1) % SLOTS;
    return &facts->slot[at];
}

static void show(struct digest what)
{
    struct fact *fact = find(what);
    if (fact->shown || facts->used == ROOM)
        return;
    facts->used++;
    *fact = (struct fact){what, facts->execution};
}

/* Was it, when the search first came to this state? */
static bool is_shown(struct digest what)
{
    const struct fact *fact = find(what);
    return fact->shown && bpor->steps < DEEPEST && fact->shown < facts->came[bpor->steps];
}

/* Behind the prefix of the plan states are new. */
static void note_state(void)
{
    if (bpor->steps >= bpor->plan.prefix_length && bpor->steps < DEEPEST)
        facts->came[bpor->steps] = facts->execution;
}

static bool wanted(void)
{
    return bpor->shared->config.retries == BPOR_RETRIES_LAST;
}

uint32_t bpor_retry_phase(void)
{
    if (!wanted())
        return 0;
    if (facts->execution++ == 0) /* its pages are there before the program runs (faults.h) */
        memset(facts->slot, 0, sizeof facts->slot + sizeof facts->came);
    facts->seen.timed |= bpor->shared->past_read & BPOR_PAST_CLOCK;
    facts->phase += memcmp(&facts->manner, &facts->seen, sizeof facts->seen) != 0;
    facts->manner = facts->seen;
    return facts->phase + 1;
}

/* ---- what a thread did since its first look ---- */

struct access {
    uintptr_t address;
    uint64_t value; /* that was there */
    uint32_t bytes;
    bool write;
    bool on_stack; /* its own, all of which is looked at */
};

struct look {
    struct digest before; /* where the thread stood */
    uintptr_t address;
    uint32_t size;
    uint32_t from; /* plain accesses before it */
    value128 value;
};

static struct run {
    bool standing; /* `before` is known */
    struct digest before;
    uint64_t stack; /* hash of what is on it */
    uint32_t steps; /* of the thread, with the last look */
    uint64_t calls; /* of the runtime, likewise */
    bool lost;      /* more was accessed than can be kept */
    unsigned looks;
    unsigned accesses; /* plain ones, since the first look */
    struct look look[LOOKS];
    struct access access[ACCESSES];
} * runs;

void bpor_retry_reserve(void)
{
    facts = bpor_reserve_kept(sizeof *facts);
    runs = bpor_reserve(sizeof *runs * BPOR_MAX_THREADS);
}

static bool active(void)
{
    const struct bpor_plan *plan = &bpor->plan;
    bool plain = plan->sample == 0 && plan->quantum == 0 && !bpor->unexplored && !bpor_is_bounded();
    return wanted() && plain && !facts->manner.timed && bpor_search_active() && bpor->threads > 1 && !bpor_weak_matters() &&
           !bpor_machine_in_use();
}

static const struct look *last_look(const struct run *run)
{
    return &run->look[run->looks - 1];
}

bool bpor_retry_watches(const struct thread *thread)
{
    return wanted() && runs[thread->id].looks;
}

static bool same_place(const struct access *one, const struct access *other)
{
    return one->address == other->address && one->bytes == other->bytes;
}

/* Is there an access of the same bytes among these, which writes them if this one does? */
static bool is_among(const struct run *run, unsigned from, unsigned to, const struct access *one)
{
    for (unsigned i = from; i < to; i++)
        if (same_place(&run->access[i], one) && (run->access[i].write || !one->write))
            return true;
    return false;
}

void bpor_retry_plain(const struct thread *thread, uintptr_t address, size_t bytes, bool write)
{
    struct run *run = &runs[thread->id];
    struct access one = {.address = address, .bytes = (uint32_t)bytes, .write = write};
    one.on_stack = address >= thread->stack_low && address + bytes <= thread->stack_top;
    if (is_among(run, last_look(run)->from, run->accesses, &one))
        return;
    if (run->accesses == ACCESSES || bytes > sizeof one.value) {
        run->lost = true;
        return;
    }
    memcpy(&one.value, (const void *)address, bytes);
    run->access[run->accesses++] = one;
}

/* ---- where a thread stands ---- */

static bool hash_stack(const struct thread *thread, uintptr_t from, uint64_t *hash)
{
    if (from < thread->stack_low || from >= thread->stack_top || thread->stack_top - from > STACK_BYTES)
        return false;
    *hash = from;
    for (const uint64_t *word = (const uint64_t *)from; (uintptr_t)(word + 1) <= thread->stack_top; word++)
        *hash = bpor_mix(*hash, *word);
    return true;
}

static void include_wide(struct digest *digest, value128 value)
{
    digest_next(digest, (uint64_t)value);
    digest_next(digest, (uint64_t)(value >> 64));
}

/* False: the program's frame was not found, or the stack is too long to be looked at for each access. */
static bool stand(struct thread *thread, const struct memory_access *access, const void *site, struct run *run)
{
    struct around around = bpor_look_around(thread, (uint64_t)site, AROUND_ONE_FRAME);
    if (!around.found || !hash_stack(thread, around.stack, &run->stack))
        return false;
    struct digest all = digest_of(thread->id);
    const uint64_t parts[] = {(uint64_t)site,
                              around.registers,
                              run->stack,
                              around.stack,
                              thread->allocations,
                              (uint64_t)access->address,
                              (uint64_t)access->expected_at,
                              (uint64_t)access->form << 32 | access->size,
                              (uint64_t)access->order << 32 | (uint32_t)access->failure_order};
    for (unsigned i = 0; i < sizeof parts / sizeof parts[0]; i++)
        digest_next(&all, parts[i]);
    include_wide(&all, access->operand);
    include_wide(&all, access->expected);
    run->before = all;
    run->stack = bpor_mix(run->stack, around.stack);
    return true;
}

/* Others may have written to its stack while it waited. */
static bool stands_still(struct thread *thread, const struct run *run, const void *site)
{
    struct around around = bpor_look_around(thread, (uint64_t)site, AROUND_ONE_FRAME);
    uint64_t stack;
    return around.found && hash_stack(thread, around.stack, &stack) && bpor_mix(stack, around.stack) == run->stack;
}

/* ---- facts and questions ---- */

static void include_access(struct digest *set, const struct access *one, uint64_t value)
{
    struct digest digest = digest_of(one->address);
    digest_next(&digest, one->bytes);
    digest_next(&digest, value);
    digest_include(set, digest);
}

static void include_write(struct digest *set, const struct access *one)
{
    uint64_t value = 0;
    memcpy(&value, (const void *)one->address, one->bytes);
    include_access(set, one, value);
}

/* What the access would find if the first look were the last one: nothing of what the rounds in between have written. */
static uint64_t found_without_rounds(const struct run *run, unsigned from, unsigned at)
{
    for (unsigned i = from; i < at; i++)
        if (run->access[i].write && same_place(&run->access[i], &run->access[at]))
            return run->access[i].value;
    return run->access[at].value;
}

/* The look at number `first`, with the value that the last one found; what was written since `first`. A write counts as a read,
 * too: clang tells the write alone of an increment. */
static struct digest lead(const struct run *run, unsigned first, struct digest stands)
{
    struct digest reads = {1, 1}, writes = {2, 2}, all = run->look[first].before;
    const unsigned from = run->look[first].from, last = last_look(run)->from;
    for (unsigned i = from; i < run->accesses; i++) {
        const struct access *one = &run->access[i];
        if (one->on_stack)
            continue;
        if (i >= last)
            include_access(&reads, one, found_without_rounds(run, from, i));
        if (one->write && !is_among(run, from, i, one)) /* once, in however many rounds */
            include_write(&writes, one);
    }
    include_wide(&all, last_look(run)->value);
    const struct digest parts[] = {stands, reads, writes};
    for (unsigned i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        digest_next(&all, parts[i].low);
        digest_next(&all, parts[i].high);
    }
    return all;
}

static bool overlap(const struct access *one, const struct access *other)
{
    return one->address < other->address + other->bytes && other->address < one->address + one->bytes;
}

/* Did a round write some of the bytes that are accessed behind the last look, so that nobody knows what was there before? */
static bool mixes_bytes(const struct run *run, unsigned first)
{
    const unsigned last = last_look(run)->from;
    for (unsigned i = last; i < run->accesses; i++)
        for (unsigned j = run->look[first].from; j < last; j++) {
            const struct access *one = &run->access[i], *before = &run->access[j];
            if (before->write && overlap(one, before) && !same_place(one, before))
                return true;
        }
    return false;
}

/* Whoever races with an access before the last look, or with a look, races with the last one or an access behind it. */
static bool accesses_again(const struct run *run, unsigned first)
{
    const struct look *look = &run->look[first], *last = last_look(run);
    for (; look < last; look++)
        if (look->address != last->address || look->size != last->size)
            return false;
    for (unsigned i = run->look[first].from; i < last->from; i++)
        if (!is_among(run, last->from, run->accesses, &run->access[i]))
            return false;
    return true;
}

/* Where atomic accesses order nothing, one of a round may race with what only the steps behind it bring about. */
static bool may_go(const struct run *run, unsigned first)
{
    const struct look *one = &run->look[first], *last = last_look(run);
    bool other = one->address == last->address && one->size == last->size && one->value != last->value;
    return other && (!facts->manner.relaxed || accesses_again(run, first));
}

static bool was_for_nothing(const struct run *run, struct digest stands)
{
    show(lead(run, run->looks - 1, stands));
    for (unsigned i = 0; i + 1 < run->looks; i++)
        if (may_go(run, i) && !mixes_bytes(run, i) && is_shown(lead(run, i, stands)))
            return true;
    return false;
}

/* ---- a thread's accesses ---- */

static bool is_relaxed(const struct memory_access *access)
{
    int order = access->order;
    if (access->performed_by_caller)
        return true;
    if (access->form == FORM_LOAD)
        return order != __ATOMIC_ACQUIRE && order != __ATOMIC_SEQ_CST;
    if (access->form == FORM_STORE)
        return order != __ATOMIC_RELEASE && order != __ATOMIC_SEQ_CST;
    bool fails_so =
        access->form == FORM_CAS && access->failure_order != __ATOMIC_ACQUIRE && access->failure_order != __ATOMIC_SEQ_CST;
    return fails_so || (order != __ATOMIC_ACQ_REL && order != __ATOMIC_SEQ_CST);
}

static void forget(struct run *run)
{
    run->looks = run->accesses = 0;
    run->lost = false;
}

static bool saw_all(const struct thread *thread, const struct run *run)
{
    return run->looks && !run->lost && thread->steps == run->steps && bpor->calls == run->calls + 1; /* this one */
}

void bpor_retry_announced(const struct memory_access *access, const void *site)
{
    struct run *run = &runs[bpor_self->id];
    run->standing = false;
    if (!active())
        return;
    note_state();
    facts->seen.relaxed |= is_relaxed(access);
    if (!saw_all(bpor_self, run))
        forget(run);
    run->standing = !access->performed_by_caller && stand(bpor_self, access, site, run);
    if (!run->standing)
        forget(run);
    if (run->looks == 0 || !was_for_nothing(run, run->before))
        return;
    bpor->looked_again = true;
    bpor_operation(OP_ASSUME, site);
    bpor_step();
}

void bpor_retry_performed(const struct memory_access *access, const void *site)
{
    struct run *run = &runs[bpor_self->id];
    bool looks = access->form == FORM_LOAD || access->failed;
    if (!active() || !run->standing || !looks || !stands_still(bpor_self, run, site) || run->looks == LOOKS) {
        if (active() || run->looks)
            forget(run);
        return;
    }
    run->look[run->looks++] = (struct look){.before = run->before,
                                            .address = (uintptr_t)access->address,
                                            .size = access->size,
                                            .from = run->accesses,
                                            .value = access->old};
    run->steps = bpor_self->steps;
    run->calls = bpor->calls;
}
