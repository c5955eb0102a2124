/* Round robin: each enabled thread in turn takes `quantum` steps, a yield ends its turn. A state that comes back with the same
 * turn and as much left of it is a cycle, and the execution ends: whether it is fair is for the controller to judge. (A fair
 * scheduler that is as regular as this one falls into most livelocks at once.) Threads that were made one after the other do not
 * begin in step, so a plan may say how many to wait for (`gather`).
 *
 * Computing an identity costs microseconds, so it is done only where the state may have been met before: where the combination of
 * the threads' call sites, registers and innermost stack bytes has occurred already. That combination is only a hint. A thread's
 * part of it is computed again when the thread has moved. */
#include "loops/probe.h"
#include "reset/pages.h"
#include "runtime/reserve.h"
#include "runtime/runtime.h"
#include "state/digest.h"
#include "state/identity.h"
#include <string.h>

enum { FEW_SLOTS = 1 << 8, SLOTS = 1 << 16, MOST_KEPT = SLOTS / 2, WINDOW = 1024, MOST_PAGES = 1 << 18 };

struct met {
    struct digest key;
    uint32_t step; /* plus 1; 0: a free place */
};

/* Outlives executions: what is rolled back would be put back after every execution of the search that follows. */
static struct probe {
    unsigned turn;
    uint32_t left;                     /* of it */
    uint64_t stands[BPOR_MAX_THREADS]; /* each thread's part of the hint */
    uint64_t hint;
    uint32_t hints;
    uint32_t states;
    uint64_t pages;           /* looked at, for all identities together */
    bool timed;               /* clocks are part of the identities */
    uint32_t slots;           /* of `hinted`: few at first, because every page that is new makes a reset look for written ones */
    uint64_t kept[MOST_KEPT]; /* the hints, one after the other */
    uint64_t hinted[SLOTS];
    uint32_t met_at[MOST_KEPT];
    struct met met[SLOTS];
} * probe;

void bpor_probe_reserve(void)
{
    probe = bpor_reserve_kept(sizeof *probe);
}

static uint64_t where_it_stands(const struct thread *thread)
{
    const struct registers *parked = &thread->parked;
    uint64_t hash = bpor_mix(thread->id, thread->op.kind);
    if (thread->state == THREAD_FINISHED)
        return scramble(hash);
    hash = bpor_mix(bpor_mix(hash, thread->op.site), parked->stack);
    for (unsigned i = 0; i < sizeof parked->saved / sizeof parked->saved[0]; i++)
        hash = bpor_mix(hash, parked->saved[i]);
    if (parked->stack >= thread->stack_low && parked->stack < thread->stack_top) {
        uintptr_t end = thread->stack_top - parked->stack < WINDOW ? thread->stack_top : parked->stack + WINDOW;
        for (const uint64_t *word = (const uint64_t *)parked->stack; (uintptr_t)(word + 1) <= end; word++)
            hash = bpor_mix(hash, *word);
    }
    return scramble(hash);
}

static void note_where(const struct thread *thread)
{
    uint64_t now = where_it_stands(thread);
    probe->hint += now - probe->stands[thread->id];
    probe->stands[thread->id] = now;
}

/* The one that moved, and those that it made. */
static void note_movers(void)
{
    for (unsigned i = 0; i < bpor->threads; i++)
        if (i == bpor->last || probe->stands[i] == 0)
            note_where(&bpor->thread[i]);
}

/* Where a hint is, or would be. */
static uint64_t *place_of(uint64_t hint)
{
    unsigned slot = (unsigned)(hint >> 7) % probe->slots;
    while (probe->hinted[slot] && probe->hinted[slot] != hint)
        slot = (slot + 1) % probe->slots;
    return &probe->hinted[slot];
}

static void empty_hints(uint32_t slots)
{
    memset(probe->hinted, 0, probe->slots * sizeof probe->hinted[0]);
    probe->slots = slots;
}

static void keep_hint(uint64_t hint)
{
    if (probe->hints == MOST_KEPT)
        return;
    probe->kept[probe->hints++] = hint;
    *place_of(hint) = hint;
    if (probe->hints * 2 < probe->slots || probe->slots == SLOTS)
        return;
    empty_hints(probe->slots * 2);
    for (uint32_t i = 0; i < probe->hints; i++)
        *place_of(probe->kept[i]) = probe->kept[i];
}

static bool could_be_known(void)
{
    uint64_t hint = bpor_mix(bpor_mix(probe->hint, probe->turn), probe->left) | 1;
    bool known = *place_of(hint) == hint;
    if (!known)
        keep_hint(hint);
    return known;
}

static void forget_states(void)
{
    while (probe->states > 0)
        probe->met[probe->met_at[--probe->states]].step = 0;
}

/* States that were met before a clock was read for the first time were known without clocks. */
static void forget_if_clocks_count(void)
{
    if (probe->timed != bpor_time_counts())
        forget_states();
    probe->timed = bpor_time_counts();
}

static void begin(void)
{
    forget_states();
    empty_hints(FEW_SLOTS);
    probe->hints = 0;
    memset(probe->stands, 0, sizeof probe->stands);
    probe->hint = probe->pages = 0;
    probe->turn = BPOR_MAX_THREADS - 1; /* so that thread 0 begins */
    probe->left = 0;
}

static struct met *find(struct digest key)
{
    unsigned slot = (unsigned)key.low % SLOTS;
    while (probe->met[slot].step && (probe->met[slot].key.low != key.low || probe->met[slot].key.high != key.high))
        slot = (slot + 1) % SLOTS;
    return &probe->met[slot];
}

static void look(void)
{
    struct digest key;
    struct bpor_shared *shared = bpor->shared;
    const char *problem = bpor_identify(&key);
    if (problem) {
        strncpy(shared->unidentified, problem, sizeof shared->unidentified - 1);
        bpor_end(BPOR_OUTCOME_STOPPED, 0, problem);
    }
    shared->looked++;
    probe->pages += bpor_pages_written();
    forget_if_clocks_count();
    digest_next(&key, probe->turn);
    digest_next(&key, probe->left);
    struct met *met = find(key);
    if (met->step) {
        shared->end.cycle_start = met->step - 1;
        shared->end.cycle_length = (uint32_t)bpor->steps - (met->step - 1);
        bpor_end(BPOR_OUTCOME_STOPPED, 0, "a state came back");
    }
    if (probe->states < MOST_KEPT) {
        probe->met_at[probe->states++] = (uint32_t)(met - probe->met);
        *met = (struct met){key, (uint32_t)bpor->steps + 1};
    }
}

/* The first thread, which makes the others, is not interrupted until they are there. */
static bool gathers(void)
{
    return bpor->threads < bpor->plan.gather && set_has(&bpor->enabled, 0) && !bpor->last_cut && probe->hints == 0;
}

unsigned bpor_probe_choose(void)
{
    if (bpor->steps == bpor->plan.prefix_length)
        begin();
    if (gathers())
        return 0;
    if (bpor->last_cut)
        probe->left = 0;
    note_movers();
    if (could_be_known() && probe->pages < MOST_PAGES)
        look();
    if (probe->left == 0 || !set_has(&bpor->enabled, probe->turn)) {
        do
            probe->turn = (probe->turn + 1) % BPOR_MAX_THREADS;
        while (!set_has(&bpor->enabled, probe->turn));
        probe->left = bpor->plan.quantum;
    }
    probe->left--;
    return probe->turn;
}
