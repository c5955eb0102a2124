/* Which thread runs next: the plan's prefix, then the controller's answer (ASK), or the bound's Initialize (docs/algorithm.md):
 * keep the last thread if it is enabled, awake and within the bound; else the cheapest awake thread within it, ties by id.
 *
 * The same policy in Python is bpor/model/policy.py; a test compares the two. */
#include "beside/search.h"
#include "engine/yields.h"
#include "loops/probe.h"
#include "model/rules.h"
#include "reset/keeper.h"
#include "runtime/lifetimes.h"
#include "runtime/runtime.h"
#include "runtime/sample.h"
#include "runtime/standstill.h"
#include "state/digest.h"
#include <string.h>

static bool fair(void)
{
    return bpor->plan.fair_bound != BPOR_UNBOUNDED;
}

/* Asked for by the fair bound alone. */
static uint32_t least_yields(const thread_set *enabled)
{
    uint32_t least = UINT32_MAX;
    for (unsigned i = 0; fair() && i < bpor->threads; i++)
        if (set_has(enabled, i) && bpor->thread[i].yields < least)
            least = bpor->thread[i].yields;
    return least;
}

/* Only a thread that goes round in a loop is ever kept waiting. */
static bool fair_blocked(unsigned thread, uint32_t least)
{
    return fair() && bpor->thread[thread].circles && bpor->thread[thread].yields - least > bpor->plan.fair_bound;
}

bool bpor_operation_enabled(const struct thread *thread)
{
    bool (*enabled)(const struct thread *) = bpor_rules[thread->op.kind].enabled;
    return enabled == NULL || bpor_lifetime_over(thread) || enabled(thread);
}

bool bpor_waits_timed(const struct thread *thread)
{
    return thread->op.timed && bpor->shared->config.timeouts != BPOR_TIMEOUTS_EXPLORE;
}

static bool may_time_out(const struct thread *thread)
{
    bool (*possible)(const struct thread *) = bpor_rules[thread->op.kind].may_time_out;
    return thread->op.timed && (possible == NULL || possible(thread));
}

static bool every_enabled_is_fair_blocked(const thread_set *enabled, const thread_set *timed)
{
    thread_set both;
    for (unsigned i = 0; i < set_words(); i++)
        both.word[i] = enabled->word[i] | timed->word[i];
    uint32_t least = least_yields(&both);
    for (unsigned i = 0; i < bpor->threads; i++)
        if (set_has(enabled, i) && !fair_blocked(i, least))
            return false;
    return true;
}

/* Fills bpor->enabled and bpor->timed. Timeouts count at once under `explore` or when their time has passed; otherwise in idle
 * states only: nobody else is enabled, or everybody who is is fair-blocked. Where somebody does not go on only because of an
 * assumption, nobody's time is up for that. */
static void compute_enabled(void)
{
    thread_set enabled, timed;
    const unsigned words = set_words(), threads = bpor->threads;
    const bool explore = bpor->shared->config.timeouts == BPOR_TIMEOUTS_EXPLORE;
    uint64_t any_enabled = 0, any_timed = 0;
    for (unsigned word = 0; word < words; word++) { /* in registers: it is done at every step */
        uint64_t enabled_here = 0, timed_here = 0;
        const unsigned end = threads - word * 64 < 64 ? threads - word * 64 : 64;
        for (unsigned i = 0; i < end; i++) {
            const struct thread *thread = &bpor->thread[word * 64 + i];
            if (thread->state != THREAD_WAITING)
                continue;
            if (bpor_operation_enabled(thread))
                enabled_here |= 1ull << i;
            else if (may_time_out(thread))
                *(explore || thread->op.deadline <= thread->now ? &enabled_here : &timed_here) |= 1ull << i;
        }
        any_enabled |= enabled.word[word] = enabled_here;
        any_timed |= timed.word[word] = timed_here;
    }
    bool idle = any_timed && !bpor->assumed_away && !bpor->looked_again &&
                (!any_enabled || every_enabled_is_fair_blocked(&enabled, &timed));
    for (unsigned i = 0; i < words; i++) {
        bpor->timed.word[i] = idle ? timed.word[i] : 0;
        bpor->enabled.word[i] = enabled.word[i] | bpor->timed.word[i];
    }
    bpor_kin_hold_back();
}

/* Who may be chosen here: who is enabled and does not sleep. */
static void find_awake(thread_set *awake)
{
    for (unsigned i = 0; i < set_words(); i++)
        awake->word[i] = bpor->enabled.word[i];
    for (unsigned i = 0; i < bpor->sleepers; i++)
        if (!bpor->sleeper[i].awake)
            set_remove(awake, bpor->sleeper[i].thread);
}

static bool switch_is_free(uint32_t least)
{
    unsigned last = bpor->last;
    return last == BPOR_NO_THREAD || (!set_has(&bpor->enabled, last) && !set_has(&bpor->held_back, last)) || bpor->last_cut ||
           !set_empty(&bpor->timed) || fair_blocked(last, least);
}

static uint32_t preemptions_with(unsigned thread, bool free_switch)
{
    return bpor->preemptions + (thread != bpor->last && !free_switch);
}

static bool bounds_delta(void)
{
    return bpor->plan.delta_bound != BPOR_UNBOUNDED;
}

/* How far a thread stands behind the one that ran last, which is first in the rotation. */
static unsigned behind(unsigned thread)
{
    unsigned head = bpor->last == BPOR_NO_THREAD ? 0 : bpor->last;
    return (thread + bpor->threads - head) % bpor->threads;
}

/* What choosing a thread costs: a context switch, or a delay for each thread that is passed over though it could run. */
static uint32_t charge(unsigned thread, uint32_t least)
{
    uint32_t delays = 0;
    if (bpor->plan.context_bound != BPOR_UNBOUNDED)
        return bpor->last != BPOR_NO_THREAD && bpor->last != thread;
    for (unsigned i = 0; bounds_delta() && i < bpor->threads; i++)
        delays += set_has(&bpor->enabled, i) && behind(i) < behind(thread) && !fair_blocked(i, least);
    return delays;
}

static bool within_bound(unsigned thread, uint32_t least, bool free_switch)
{
    const struct bpor_plan *plan = &bpor->plan;
    uint32_t most = plan->context_bound != BPOR_UNBOUNDED ? plan->context_bound : plan->delta_bound;
    return !fair_blocked(thread, least) && preemptions_with(thread, free_switch) <= plan->preemption_bound &&
           (most == BPOR_UNBOUNDED || bpor->spent + charge(thread, least) <= most);
}

/* The fair bound keeps a thread waiting that gets on with something: that loses schedules. If it only counts its rounds, that is
 * assumed to lose none. */
static void count_loss(uint32_t least)
{
    bool loses = false;
    for (unsigned i = 0; fair() && i < bpor->threads; i++) {
        const struct thread *thread = &bpor->thread[i];
        if (!set_has(&bpor->enabled, i) || !fair_blocked(i, least))
            continue;
        if (thread->counts && bpor->counting_at == 0)
            bpor->counting_at = thread->yielded_at;
        if (thread->moves && bpor->lost == 0 && !loses)
            bpor->lost_at = thread->yielded_at;
        loses |= thread->moves;
    }
    bpor->lost += loses;
}

static void count_refusals(uint32_t least, bool free_switch)
{
    count_loss(least);
    for (unsigned i = 0; bpor_is_bounded() && i < bpor->threads; i++)
        if (set_has(&bpor->enabled, i) && !within_bound(i, least, free_switch)) {
            bpor->refused_by_bound++;
            return;
        }
}

/* Better: within the bound, then earlier in the rotation if delays are bounded, else fewer yields (fair cost) if there is a fair
 * bound, then the lower id. */
static bool better(unsigned candidate, unsigned best, uint32_t least, bool free_switch)
{
    bool candidate_in = within_bound(candidate, least, free_switch), best_in = within_bound(best, least, free_switch);
    if (candidate_in != best_in)
        return candidate_in;
    if (bounds_delta())
        return behind(candidate) < behind(best);
    return fair() && bpor->thread[candidate].yields < bpor->thread[best].yields;
}

/* The controller chooses the thread, but the bounds of the plan are still evaluated in this state. */
static unsigned ask(void)
{
    uint32_t least = least_yields(&bpor->enabled);
    count_refusals(least, switch_is_free(least));
    return bpor_ask();
}

static unsigned initialize(void)
{
    uint32_t least = least_yields(&bpor->enabled);
    bool free_switch = switch_is_free(least);
    unsigned best = BPOR_NO_THREAD;
    thread_set awake;
    count_refusals(least, free_switch);
    find_awake(&awake);
    unsigned last = bpor->last;
    if (last != BPOR_NO_THREAD && set_has(&awake, last) && within_bound(last, least, free_switch))
        return last;
    const bool any = !bpor_is_bounded(); /* nobody is better than the first */
    for (unsigned i = 0; i < bpor->threads && !(any && best != BPOR_NO_THREAD); i++)
        if (set_has(&awake, i) && (best == BPOR_NO_THREAD || better(i, best, least, free_switch)))
            best = i;
    if (best == BPOR_NO_THREAD)
        bpor_end(BPOR_OUTCOME_REDUNDANT, 0, "");
    if (!within_bound(best, least, free_switch))
        bpor_end(BPOR_OUTCOME_OVER_BOUND, 0, "");
    return best;
}

static bool nothing_left(void)
{
    for (unsigned i = 0; i < bpor->threads; i++)
        if (bpor->thread[i].state != THREAD_FINISHED)
            return false;
    return true;
}

/* WakeNext: the thread that has just moved may now be about to block, which changes what leaving it costs. */
static void wake_by_next_operation(void)
{
    const struct thread *mover = &bpor->thread[bpor->last];
    if (!(bpor->plan.flags & BPOR_PLAN_WAKE_NEXT) || bpor->steps < bpor->plan.prefix_length || mover->state != THREAD_WAITING)
        return;
    bool ends = bpor_properties(mover->op.kind) & ENDS;
    for (unsigned i = 0; i < bpor->sleepers; i++) {
        struct sleeper *sleeper = &bpor->sleeper[i];
        sleeper->awake |= ends || bpor_conflict(sleeper->watch, sleeper->accesses, mover->op.access, mover->op.accesses);
    }
}

/* Under a fair or a delta bound nobody sleeps while somebody waits who may time out (errata E48, E62). */
static void wake_beside_timed(void)
{
    if ((!fair() && !bounds_delta()) || bpor->sleepers == 0 || bpor->steps < bpor->plan.prefix_length)
        return;
    bool timed = false;
    for (unsigned i = 0; i < bpor->threads; i++)
        timed |= bpor->thread[i].state == THREAD_WAITING && !bpor->thread[i].left && bpor_waits_timed(&bpor->thread[i]);
    for (unsigned i = 0; i < bpor->sleepers; i++)
        bpor->sleeper[i].awake |= timed;
}

void bpor_filter_sleepers(const struct thread *mover)
{
    if (bpor->steps + 1 < bpor->plan.prefix_length)
        return;
    bool ends = bpor_properties(mover->op.kind) & ENDS;
    for (unsigned i = 0; i < bpor->sleepers; i++) {
        struct sleeper *sleeper = &bpor->sleeper[i];
        sleeper->awake |= ends || sleeper->thread == mover->id ||
                          bpor_conflict(sleeper->watch, sleeper->accesses, mover->op.access, mover->op.accesses);
    }
}

/* Counts the switch to the chosen thread; called before its operation is performed. */
void bpor_account(struct thread *chosen)
{
    uint32_t least = least_yields(&bpor->enabled);
    bpor->preemptions = preemptions_with(chosen->id, switch_is_free(least));
    bpor->spent += charge(chosen->id, least);
}

/* In a schedule that was found within a fair bound, a wait may have timed out while the bound blocked threads that were spinning.
 * A replay without the bound follows the schedule there. */
static bool may_time_out_here(unsigned thread)
{
    return !fair() && thread < bpor->threads && bpor->thread[thread].state == THREAD_WAITING &&
           may_time_out(&bpor->thread[thread]) && !bpor->assumed_away;
}

static void let_time_out(unsigned thread)
{
    set_add(&bpor->timed, thread);
    set_add(&bpor->enabled, thread);
}

static void check_hash(void)
{
    if (bpor->steps == bpor->plan.hashed && bpor->plan.flags & BPOR_PLAN_CHECK_HASH && bpor->hash != bpor->plan.prefix_hash)
        bpor_end(BPOR_OUTCOME_DIVERGED, (int)bpor->steps, "the prefix hashes differently");
}

static unsigned follow_prefix(void)
{
    unsigned thread = bpor->prefix[bpor->steps] % BPOR_ALTERNATIVE;
    bpor->alternative = bpor->prefix[bpor->steps] / BPOR_ALTERNATIVE;
    if (!set_has(&bpor->enabled, thread) && may_time_out_here(thread))
        let_time_out(thread);
    if (thread < bpor->threads && set_has(&bpor->held_back, thread)) /* no schedule of the search, but one of the program */
        set_add(&bpor->enabled, thread);
    if (thread >= bpor->threads || !set_has(&bpor->enabled, thread))
        bpor_end(BPOR_OUTCOME_DIVERGED, (int)bpor->steps, "the thread that should run is not enabled");
    if (bpor->plan.sample)
        bpor_sample_choose(); /* nobody else can run; but the draws that follow are numbered */
    return thread;
}

/* Behind the prefix: steps that may not be possible, or may turn out otherwise. */
static bool follows_tail(unsigned *chosen)
{
    if (bpor->steps >= bpor->plan.prefix_length + bpor->plan.tail)
        return false;
    unsigned thread = bpor->prefix[bpor->steps];
    if (thread >= bpor->threads || !set_has(&bpor->enabled, thread) || set_has(&bpor->timed, thread)) {
        bpor->plan.tail = 0;
        return false;
    }
    *chosen = thread;
    return true;
}

/* Only the thread that ran last can go on, and it waits in a loop for something that only a thread that was stopped, by an
 * assumption or because it has looked for nothing, could do. */
static bool waits_for_assumed(void)
{
    thread_set only = {{0}};
    if (bpor->alone_in_circles < 2)
        return false;
    set_add(&only, bpor->last);
    return memcmp(&only, &bpor->enabled, sizeof only) == 0;
}

static void end_if_nobody_can_go_on(void)
{
    if (bpor->looked_again && (set_empty(&bpor->enabled) || waits_for_assumed()))
        bpor_end(BPOR_OUTCOME_REDUNDANT, 0, "");
    if (bpor->assumed_away && (set_empty(&bpor->enabled) || bpor->plan.quantum || waits_for_assumed()))
        bpor_end(BPOR_OUTCOME_ASSUMED, 0, "");
    if (!set_empty(&bpor->enabled))
        return;
    if (nothing_left())
        bpor_end(BPOR_OUTCOME_EXIT, 0, "");
    bpor_standstill();
}

/* In the midst of what is explored: such a thread does not move while another is unexplored, unless nobody else can. */
static bool explored(unsigned thread)
{
    return bpor->thread[thread].in_region && !bpor->thread[thread].left;
}

/* Outside of the explored region: whoever runs goes on; one that cannot, or yields, is followed by the next that can. */
static struct thread *choose_unexplored(void)
{
    const struct thread *self = bpor_self;
    compute_enabled();
    end_if_nobody_can_go_on();
    unsigned first = bpor_properties(self->op.kind) & YIELDS ? 1 : 0, other = BPOR_NO_THREAD;
    for (unsigned distance = first; distance < bpor->threads + first; distance++) {
        unsigned thread = (self->id + distance) % bpor->threads;
        if (!set_has(&bpor->enabled, thread))
            continue;
        if (!explored(thread))
            return &bpor->thread[thread];
        if (other == BPOR_NO_THREAD)
            other = thread;
    }
    return &bpor->thread[other];
}

/* Beside the program the search knows states that it would not look at again. */
static bool seems_known(struct digest identity)
{
    uint32_t least = least_yields(&bpor->enabled);
    if (!(bpor->plan.flags & BPOR_PLAN_MATCH) || !bpor_search_active())
        return false;
    return bpor_search_seems_known(identity.low, identity.high, switch_is_free(least) ? BPOR_NO_THREAD : bpor->last,
                                   bpor->preemptions);
}

/* The search counts so, too. */
static void normalise_yields(void)
{
    uint32_t *count[BPOR_MAX_THREADS];
    unsigned live = 0;
    for (unsigned i = 0; i < bpor->threads; i++) {
        if (bpor->thread[i].state == THREAD_WAITING)
            count[live++] = &bpor->thread[i].yields;
        else
            bpor->thread[i].yields = 0;
    }
    yields_normalise(count, live, bpor->plan.fair_bound);
}

struct thread *bpor_choose(void)
{
    __atomic_store_n(&bpor->shared->progress, bpor->shared->progress + 1, __ATOMIC_RELEASE);
    bpor->alternative = 0;
    if (bpor->unexplored)
        return choose_unexplored();
    if (bpor->steps <= bpor->plan.hashed)
        bpor_keeper_checkpoint();
    if (bpor->last != BPOR_NO_THREAD)
        wake_by_next_operation();
    wake_beside_timed();
    if (fair() && bpor->plan.flags & BPOR_PLAN_MATCH)
        normalise_yields();
    compute_enabled();
    bpor_emit_first_state();
    struct digest identity;
    bool identified = bpor_emit_identity(&identity);
    bpor_emit_differences();
    end_if_nobody_can_go_on();
    check_hash();
    unsigned chosen;
    if (bpor->steps < bpor->plan.prefix_length)
        chosen = follow_prefix();
    else if (bpor->plan.tail && follows_tail(&chosen))
        ;
    else if (bpor->plan.flags & BPOR_PLAN_STOP)
        bpor_end(BPOR_OUTCOME_STOPPED, 0, "");
    else if (bpor->steps >= bpor->plan.max_steps)
        bpor_end(BPOR_OUTCOME_STEP_LIMIT, 0, "");
    else if (identified && seems_known(identity))
        bpor_end(BPOR_OUTCOME_MATCHED, 0, "");
    else if (bpor->plan.quantum)
        chosen = bpor_probe_choose();
    else if (bpor->plan.sample)
        chosen = bpor_sample_choose();
    else if (bpor->plan.flags & BPOR_PLAN_ASK)
        chosen = ask();
    else
        chosen = initialize();
    return &bpor->thread[chosen];
}
