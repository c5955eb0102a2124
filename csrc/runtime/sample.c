/* Sampling: the next thread is drawn at random. bpor/search/strategies has the same searches in Python with the same draws: the
 * n-th draw of an execution is a function of its seed and n, so that any execution can be repeated without those before it, in
 * either language.
 *
 * This state is rolled back with the program, so every execution begins without priorities. */
#include "runtime/sample.h"
#include "runtime/runtime.h"

static struct {
    uint64_t drawn;
    int64_t lowest;
    bool has[BPOR_MAX_THREADS];
    int64_t priority[BPOR_MAX_THREADS];
} sample;

static uint64_t draw(uint64_t number)
{
    return bpor_scatter(bpor->plan.sample_seed + number * 0x9e3779b97f4a7c15u);
}

static uint64_t next_draw(void)
{
    return draw(++sample.drawn);
}

static bool enabled(unsigned thread)
{
    return set_has(&bpor->enabled, thread);
}

/* Every enabled thread is equally likely at every step. */
static unsigned choose_random(void)
{
    unsigned count = 0;
    for (unsigned i = 0; i < bpor->threads; i++)
        count += enabled(i);
    uint64_t nth = next_draw() % count;
    unsigned thread = 0;
    for (;; thread++)
        if (enabled(thread) && nth-- == 0)
            return thread;
}

static void draw_priority(unsigned thread)
{
    if (sample.has[thread])
        return;
    sample.has[thread] = true;
    sample.priority[thread] = (int64_t)(next_draw() >> 1);
}

static unsigned highest(void)
{
    unsigned best = BPOR_NO_THREAD;
    for (unsigned i = 0; i < bpor->threads; i++)
        if (enabled(i) && (best == BPOR_NO_THREAD || sample.priority[i] > sample.priority[best]))
            best = i;
    return best;
}

static void fall(unsigned thread)
{
    sample.priority[thread] = --sample.lowest;
}

/* Is this one of the steps before which the running thread falls? The first draws of an execution are those steps. */
static bool changes_here(void)
{
    for (uint32_t i = 1; i < bpor->plan.sample_depth; i++)
        if (draw(i) % bpor->plan.sample_longest == bpor->steps)
            return true;
    return false;
}

/* Probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi, Nagarakatte, ASPLOS 2010). */
static unsigned choose_pct(void)
{
    if (sample.drawn == 0)
        sample.drawn = bpor->plan.sample_depth ? bpor->plan.sample_depth - 1 : 0;
    for (unsigned i = 0; i < bpor->threads; i++)
        if (enabled(i))
            draw_priority(i);
    unsigned chosen = highest();
    if (changes_here()) {
        fall(chosen);
        chosen = highest();
    }
    if (bpor_properties(bpor->thread[chosen].op.kind) & YIELDS || (bpor->last == chosen && bpor->last_cut))
        fall(chosen);
    return chosen;
}

static bool races(const struct operation *one, const struct operation *other)
{
    return (bpor_properties(one->kind) | bpor_properties(other->kind)) & ENDS ||
           bpor_conflict(one->access, one->accesses, other->access, other->accesses);
}

/* Partial-order sampling (Yuan, Yang, Gu, CAV 2018). */
static unsigned choose_pos(void)
{
    for (unsigned i = 0; i < bpor->threads; i++)
        if (bpor->thread[i].state == THREAD_WAITING)
            draw_priority(i);
    unsigned chosen = highest();
    const struct operation *operation = &bpor->thread[chosen].op;
    for (unsigned i = 0; i < bpor->threads; i++)
        if (bpor->thread[i].state == THREAD_WAITING && (i == chosen || races(operation, &bpor->thread[i].op)))
            sample.has[i] = false;
    return chosen;
}

unsigned bpor_sample_choose(void)
{
    switch (bpor->plan.sample) {
    case BPOR_SAMPLE_PCT:
        return choose_pct();
    case BPOR_SAMPLE_POS:
        return choose_pos();
    default:
        return choose_random();
    }
}
