/* A state, as far as it decides how the program goes on: every word of memory that is not what it was at the fork point, what the
 * model knows of objects and threads, the registers that each thread goes on with, and what the guard of rollback let pass.
 *
 * Memory counts by content, whoever wrote it and however often. What is dead is left out: stacks below the point where their
 * thread stands, registers that a call does not keep, and of threads that have ended everything but what a join would tell. So
 * are the runtime's tables (reserve.h): what in them decides anything is taken from them by name, under names that do not depend
 * on the order in which things were met. The runtime's static variables count like any memory, so what is added there is in it.
 * Heap bookkeeping is memory too: the same blocks freed in another order are another state.
 *
 * Virtual clocks are left out where the plan says so and nobody has read one (time.c): else a loop that sleeps would never come
 * back to a state. Output that was written is not part of the state, nor are the counters of bounds. What of a thread's past
 * decides which of its steps are yields (circle.c, spin.c) is a part of it only where states are recognised under a fair bound.
 *
 * What blocks of the heap are called is no part of it either, unless the plan asks (BPOR_PLAN_NAMES): the program goes on alike,
 * but what it touches then has other names. A search that keeps footprints for a state that comes again asks.
 *
 * Nor is what the race detector knows, which is the past of a state and not the program's: a state that comes back in one
 * execution goes on alike in the program whatever was ordered before. But two ways to one state may differ in the races to come,
 * so for whoever leaves one of them out it is a part of the identity (BPOR_PLAN_MATCH, race/state.c), or there is none; a lasso
 * (BPOR_PLAN_LASSO) does not care. */
#include "state/identity.h"
#include "arch/x86_64/page.h"
#include "carrier/carrier.h"
#include "carrier/masks.h"
#include "carrier/signals.h"
#include "loops/circle.h"
#include "memory/mappings.h"
#include "memory/memory.h"
#include "race/state.h"
#include "reset/guard.h"
#include "reset/pages.h"
#include "runtime/injection.h"
#include "runtime/objects.h"
#include "runtime/reserve.h"
#include "runtime/runtime.h"
#include "weak/weak.h"
#include <stddef.h>
#include <string.h>

enum { WORDS = PAGE / 8, AT_ONCE = 16, RSEQ_BYTES = 32 };

/* ---- what is dead ---- */

struct range {
    uintptr_t start;
    uintptr_t end;
};

static struct dead {
    unsigned ranges;
    struct range range[2 * BPOR_MAX_THREADS + 1];
    struct range rseq; /* where the kernel tells the one thread that it knows on which processor it runs */
} * dead;

extern const ptrdiff_t __rseq_offset __attribute__((weak)); /* glibc 2.35 and later */

void bpor_identity_reserve(void)
{
    dead = bpor_reserve_kept(sizeof *dead); /* made anew for each state */
    uintptr_t own = (uintptr_t)__builtin_thread_pointer();
    if (&__rseq_offset)
        dead->rseq = (struct range){own + (uintptr_t)__rseq_offset, own + (uintptr_t)__rseq_offset + RSEQ_BYTES};
}

static void add_dead(uintptr_t start, uintptr_t end)
{
    if (start < end)
        dead->range[dead->ranges++] = (struct range){start, end};
}

static bool on_own_stack(const struct thread *thread)
{
    return thread->parked.stack >= thread->stack_low && thread->parked.stack <= thread->stack_top;
}

/* All of it, and what libc keeps for the thread; but a stack of the program's own is the program's again. */
static void add_ended(const struct thread *thread)
{
    uintptr_t low, end;
    if (bpor_fibers_lent(thread, &low, &end))
        add_dead(low, end);
    if (!thread->stack_is_programs)
        add_dead(thread->stack_low, thread->stack_top);
}

/* A thread that stands on another stack may come back to this one. */
static void find_dead(void)
{
    dead->ranges = 0;
    add_dead(dead->rseq.start, dead->rseq.end);
    for (unsigned i = 0; i < bpor->threads; i++) {
        const struct thread *thread = &bpor->thread[i];
        if (thread->state == THREAD_FINISHED)
            add_ended(thread);
        else if (on_own_stack(thread))
            add_dead(thread->stack_low, thread->parked.stack);
    }
}

static bool is_dead(uintptr_t start, uintptr_t end)
{
    for (unsigned i = 0; i < dead->ranges; i++)
        if (start >= dead->range[i].start && end <= dead->range[i].end)
            return true;
    return false;
}

bool bpor_state_is_dead(uintptr_t address)
{
    return is_dead(address, address + 1);
}

/* ---- words ---- */

struct words {
    word_visit *visit;
    void *data;
};

/* Most of a page is as it was: without a branch for each word, so that the compiler can compare several at once. */
static bool differ(const uint64_t *now, const uint64_t *before)
{
    uint64_t difference = 0;
    for (unsigned i = 0; i < AT_ONCE; i++)
        difference |= before ? now[i] ^ before[i] : now[i];
    return difference;
}

static void each_word_of_page(uintptr_t page, const uint8_t *copy, void *data)
{
    const struct words *words = data;
    const uint64_t *now = (const uint64_t *)page, *before = (const uint64_t *)copy;
    if (is_dead(page, page + PAGE))
        return;
    for (unsigned first = 0; first < WORDS; first += AT_ONCE) {
        if (!differ(now + first, before ? before + first : NULL))
            continue;
        for (unsigned i = first; i < first + AT_ONCE; i++) {
            uintptr_t address = page + i * sizeof *now;
            if (now[i] != (before ? before[i] : 0) && !is_dead(address, address + sizeof *now))
                words->visit(address, now[i], BPOR_NO_THREAD, words->data);
        }
    }
}

static const char *each_new_word(uintptr_t start, uintptr_t end, void *words)
{
    return bpor_pages_each_present(start, end, each_word_of_page, words);
}

/* Does what a thread did before decide which of its steps will be yields, and do yields decide anything? */
static bool past_counts(void)
{
    return bpor->plan.flags & BPOR_PLAN_MATCH && bpor_past_counts();
}

/* Without what only names and counts things, and what is read only by a thread that runs. How much time a waiting thread has left
 * does not change while it waits. */
static void blank(struct thread *copy)
{
    copy->yields = copy->steps = 0; /* yields are told beside it: they are normalised */
    copy->kernel_id = 0;
    if (!(bpor->plan.flags & BPOR_PLAN_NAMES))
        copy->allocations = copy->mappings = 0;
    if (!past_counts())
        copy->circles = copy->moves = copy->counts = false;
    if (!bpor_past_counts())
        copy->failed_at = 0;
    copy->yielded_at = 0;
    copy->result = 0;
    memset(&copy->context, 0, sizeof copy->context);
    memset(copy->op.access, 0, sizeof copy->op.access);
    if (!bpor_time_counts()) {
        copy->op.deadline = copy->op.timed && copy->op.deadline > copy->now ? copy->op.deadline - copy->now : 0;
        copy->now = 0;
    }
}

/* What a join would tell, and whether there may be one. */
static struct thread remains(const struct thread *thread)
{
    struct thread left;
    memset(&left, 0, sizeof left); /* what lies between its members, too */
    left.state = thread->state;
    left.detached = thread->detached;
    left.joined = thread->joined;
    left.value = thread->value;
    left.now = bpor_time_counts() ? thread->now : 0;
    return left;
}

static void each_word_of_thread(const struct thread *thread, const struct words *words)
{
    union {
        struct thread thread;
        uint64_t word[sizeof(struct thread) / sizeof(uint64_t)];
    } copy;
    if (thread->state == THREAD_FINISHED)
        copy.thread = remains(thread);
    else {
        copy.thread = *thread;
        blank(&copy.thread);
    }
    for (unsigned i = 0; i < sizeof copy.word / sizeof copy.word[0]; i++)
        if (copy.word[i])
            words->visit((uintptr_t)thread + i * sizeof copy.word[0], copy.word[i], thread->id, words->data);
}

static const char *unknown(void)
{
    const char *unseen = bpor_guard_problem();
    if (unseen)
        return unseen;
    if (bpor->instrumented && bpor->shared->config.races != BPOR_RACES_OFF &&
        !(bpor->plan.flags & (BPOR_PLAN_LASSO | BPOR_PLAN_MATCH)))
        return "data races are looked for, which depend on the past of a state (--races=off)";
    for (unsigned i = 0; i < bpor->threads; i++) {
        const struct thread *thread = &bpor->thread[i];
        if (thread->state != THREAD_FINISHED && bpor_signals_own_stack(thread->parked.stack))
            return "a thread waits in a handler of a fatal signal";
    }
    return NULL;
}

const char *bpor_state_each_word(word_visit *visit, void *data)
{
    struct words words = {visit, data};
    const char *problem = unknown();
    if (problem)
        return problem;
    if (bpor_self->state != THREAD_FINISHED)
        bpor_mask_save(bpor_self);
    find_dead();
    problem = bpor_pages_each_written(each_word_of_page, &words);
    if (!problem)
        problem = bpor_guard_each_new_memory(each_new_word, &words);
    for (unsigned i = 0; i < bpor->threads && !problem; i++)
        each_word_of_thread(&bpor->thread[i], &words);
    return problem;
}

/* ---- the identity ---- */

/* Objects are known by their addresses, not by when they were met. */
static uint64_t meaning_of(uint64_t word)
{
    const struct object *object = bpor_object_pointed_at(word);
    return object ? scramble(object->address << 4 | object->class) : word;
}

static void include(uintptr_t address, uint64_t value, unsigned thread, void *set)
{
    struct digest word = digest_of(address);
    (void)thread;
    digest_next(&word, meaning_of(value));
    digest_include(set, word);
}

void bpor_state_beyond_words(struct digest *set)
{
    bpor_objects_digest(set);
    bpor_locations_digest(set);
    bpor_guard_digest(set);
    bpor_injection_digest(set);
    if (bpor->plan.flags & BPOR_PLAN_NAMES) {
        bpor_heap_digest(set);
        bpor_mappings_digest(set);
    }
}

static void include_past(struct digest *set)
{
    for (unsigned i = 0; i < bpor->threads; i++) {
        struct thread *thread = &bpor->thread[i];
        if (thread->state == THREAD_FINISHED)
            continue;
        bpor_circle_digest(thread, set);
        bpor_spin_digest(thread, set);
    }
}

static bool races_count(void)
{
    return bpor->plan.flags & BPOR_PLAN_MATCH && bpor_races_wanted();
}

/* A wait times out when no other thread can run, or when all threads that can run are spinning. The second case is noticed only
 * within a fair bound: without one, a loop that is abandoned where it comes back to its state would keep time from passing for
 * ever. */
static bool time_waits_for_a_loop(void)
{
    if (!(bpor->plan.flags & BPOR_PLAN_MATCH) || bpor->plan.fair_bound != BPOR_UNBOUNDED)
        return false;
    for (unsigned i = 0; i < bpor->threads; i++) {
        const struct thread *thread = &bpor->thread[i];
        if (thread->state == THREAD_WAITING && !thread->left && !set_has(&bpor->enabled, i) && bpor_waits_timed(thread))
            return true;
    }
    return false;
}

const char *bpor_identify(struct digest *identity)
{
    struct digest set = {0, 0};
    if (bpor_weak_matters())
        return "the stores that weak memory remembers are not part of it";
    if (time_waits_for_a_loop())
        return "a thread waits with a timeout beside others that can run";
    const char *problem = bpor_state_each_word(include, &set);
    if (!problem && races_count())
        problem = bpor_race_state_digest(&set);
    if (problem)
        return problem;
    bpor_state_beyond_words(&set);
    if (past_counts())
        include_past(&set);
    *identity = set;
    return NULL;
}
