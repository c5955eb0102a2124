/* The bounds the runtime applies by itself while it runs ahead: none, preemption, fair, and both (BPOR 2013, Alg. 3 and 4).
 *
 * preemption  a switch away from a thread that is enabled costs 1, unless it is free; the sum is bounded
 * fair        nobody may run who goes round in a loop and has yielded more than `fair` times more than another enabled thread;
 *             nothing is summed. A new thread has yielded as often as its creator (erratum E30)
 * free        the thread left is disabled or fair-blocked, its last step was a yield (or another voluntary switch), or the state
 *             is idle
 *
 * With yields free and blocks cut at them the combination needs no points beyond those of the preemption bound (erratum E13). */
#include "engine/tree.h"

static bool bounds_context(const struct tree *tree)
{
    return tree->order.context_bound != BPOR_UNBOUNDED;
}

static bool bounds_delta(const struct tree *tree)
{
    return tree->order.delta_bound != BPOR_UNBOUNDED;
}

static bool bounds_preemption(const struct tree *tree)
{
    return tree->order.preemption_bound != BPOR_UNBOUNDED;
}

/* The enabled threads that come before `thread` in the rotation: from the last thread on, by number, wrapping round. */
static uint64_t passed_over(const struct frame *frame, unsigned thread)
{
    unsigned head = frame->last == NO_THREAD ? 0 : frame->last;
    uint64_t below_thread = bit(thread) - 1, below_head = bit(head) - 1;
    return frame->enabled & (thread >= head ? below_thread & ~below_head : ~below_head | below_thread);
}

/* What choosing a thread costs, of what is summed up along a schedule. */
static uint32_t charge(const struct tree *tree, const struct frame *frame, unsigned thread)
{
    if (bounds_context(tree))
        return frame->last != NO_THREAD && frame->last != thread;
    if (bounds_delta(tree))
        return (uint32_t)__builtin_popcountll(passed_over(frame, thread) & ~frame->fair_blocked);
    return !frame->free && thread != frame->last;
}

static uint64_t fair_blocked(const struct tree *tree, uint64_t enabled)
{
    uint32_t least = UINT32_MAX;
    uint64_t blocked = 0;
    EACH_THREAD (thread, enabled)
        if (tree->actor[thread].yields < least)
            least = tree->actor[thread].yields;
    EACH_THREAD (thread, enabled)
        if (tree->actor[thread].circles && tree->actor[thread].yields - least > tree->order.fair_bound)
            blocked |= bit(thread);
    return blocked;
}

/* Threads whose pending operation may enable others. */
static uint64_t releasers(const struct tree *tree)
{
    uint64_t mask = 0;
    EACH_THREAD (thread, tree->live)
        if (bpor_properties(history_operation(tree, thread)->kind) & RELEASE)
            mask |= bit(thread);
    return mask;
}

/* Fills the bound's part of a new frame; `step`, which is on the history, led from `before` to it. */
void rule_enter(struct tree *tree, struct frame *frame, const struct frame *before, const struct told_step *step)
{
    unsigned last = frame->last;
    if (bounds_delta(tree))
        frame->releasers = releasers(tree);
    frame->free = last == NO_THREAD || !(frame->enabled & bit(last));
    if (!bounds_context(tree)) /* where leaving a thread always costs, blocks are cut only where it cannot go on */
        frame->free |= (step && step->flags & BPOR_FLAG_CUT) || frame->timed;
    if (before == NULL)
        return;
    frame->cost = rule_cost(tree, before, step->thread);
    if (tree->order.fair_bound != BPOR_UNBOUNDED) {
        frame->fair_blocked = fair_blocked(tree, frame->enabled);
        frame->free |= (frame->fair_blocked & bit(step->thread)) != 0;
    }
}

/* What a schedule has cost once `thread` has run at a frame. */
uint32_t rule_cost(const struct tree *tree, const struct frame *frame, unsigned thread)
{
    return frame->cost + charge(tree, frame, thread);
}

bool rule_refuses(const struct tree *tree, const struct frame *frame, unsigned thread)
{
    if (frame->fair_blocked & bit(thread))
        return true;
    uint32_t most = bounds_context(tree) ? tree->order.context_bound : tree->order.delta_bound;
    if (bounds_preemption(tree))
        most = tree->order.preemption_bound;
    return most != BPOR_UNBOUNDED && rule_cost(tree, frame, thread) > most;
}

/* Likewise at the top of the stack, where local bounds can tell, too. */
bool rule_allows(const struct tree *tree, const struct frame *frame, unsigned thread)
{
    return !rule_refuses(tree, frame, thread) && (!tree->causal || causal_within(tree, thread));
}

/* `threads` are to be tried at a state; its owner, if it is another's, knows who of them sleeps there. */
static void want(struct tree *tree, uint32_t index, uint64_t threads, bool conservative)
{
    struct frame *frame = &tree->frame[index];
    struct bpor_wanted *wanted = &tree->wanted[index];
    frame->raced |= conservative ? 0 : threads;
    if (index < tree->root)
        *(conservative ? &wanted->conservative : &wanted->backtrack) |= threads;
    else if (conservative && tree->order.flags & BPOR_TREE_BOUND_OPTIMISATION)
        frame->conservative |= threads;
    else
        frame->backtrack |= threads;
}

/* At a state of a cycle nobody is left out for being asleep (erratum E38). */
uint64_t rule_asleep(const struct frame *frame)
{
    return frame->cyclic ? 0 : frame->asleep;
}

/* Add: one thread if it can run at that state, else all that can (disabled, not created, asleep or fair-blocked: errata E5, E8).
 */
void rule_add(struct tree *tree, uint32_t index, unsigned thread, bool conservative)
{
    const struct frame *frame = &tree->frame[index];
    bool can_run = frame->enabled & ~frame->fair_blocked & ~rule_asleep(frame) & bit(thread);
    want(tree, index, can_run || index < tree->root ? bit(thread) : frame->enabled, conservative);
}

/* Step `index` races with the pending operation of `thread`. */
void rule_backtrack(struct tree *tree, uint32_t index, unsigned thread)
{
    struct frame *frame = &tree->frame[index];
    if (!tree->reduces) { /* everything is tried, and best-first search goes to races first */
        frame->raced |= bit(thread);
        return;
    }
    rule_add(tree, index, thread, false);
    if (bounds_context(tree)) {
        want(tree, index, frame->enabled, true);
    } else if (bounds_delta(tree)) {
        bool stays = frame->enabled & ~frame->releasers & bit(thread);
        want(tree, index, stays ? bit(thread) | passed_over(frame, thread) : frame->enabled, true);
    }
    if (!bounds_preemption(tree))
        return;
    if (tree->matches)
        matching_cross(tree, index, bit(thread));
    uint32_t block = tree->frame[index].block;
    if (block != index) /* erratum E2: a step that starts a block needs no second point */
        rule_add(tree, block, thread, true);
}

/* `chosen` is the first to be tried in a new state. Leaving a thread that cannot go on costs a context switch whoever is chosen,
 * so all are points; under a delta bound a release changes who will be passed over, and beside a fair bound so may any step. */
void rule_initial(struct tree *tree, struct frame *frame, unsigned chosen)
{
    bool context = bounds_context(tree) && chosen != frame->last;
    bool fair = tree->order.fair_bound != BPOR_UNBOUNDED;
    if (tree->reduces && (context || (bounds_delta(tree) && (fair || frame->releasers & bit(chosen)))))
        want(tree, tree->frames - 1, frame->enabled, true);
}

/* May `sleeper`, whose branch of a frame was explored within the bound, sleep while that of `thread` is? */
bool rule_sleeps_beside(const struct tree *tree, const struct frame *frame, unsigned sleeper, unsigned thread)
{
    return !bounds_delta(tree) || (tree->order.fair_bound == BPOR_UNBOUNDED && passed_over(frame, thread) & bit(sleeper));
}

/* Everybody is to be tried before step `index`, and where its block began. */
static void want_all_before(struct tree *tree, uint32_t index)
{
    want(tree, index, tree->frame[index].enabled, false);
    uint32_t block = tree->frame[index].block;
    if (bounds_preemption(tree) && block != index)
        want(tree, block, tree->frame[block].enabled, true);
}

/* A join of a thread that has ended: had the end come later, the joiner would have to wait. */
static void want_before_end(struct tree *tree, unsigned joiner, const struct told_operation *join)
{
    const struct actor *ended = join->target < THREADS ? &tree->actor[join->target] : NULL;
    if (join->kind == OP_JOIN && ended && ended->exists && !ended->operation && ended->last &&
        tree->actor[joiner].yields < ended->yields)
        want_all_before(tree, ended->last - 1);
}

/* A thread that becomes enabled and has yielded less than the mover may fair-block others, so they must be tried before the step.
 * Releases do the same, but race with the operation of the thread they enable. End and join have no footprint: their points are
 * added here, as for a race, whichever comes first (erratum E69). A new thread has yielded as often as the mover. */
void rule_enabled_by(struct tree *tree, uint32_t index, const struct told_step *step)
{
    uint64_t enabled = history_joining(tree, step->finished);
    bool yielded_less = false;
    if (tree->order.fair_bound == BPOR_UNBOUNDED)
        return;
    EACH_THREAD (thread, enabled)
        yielded_less |= tree->actor[thread].yields < tree->actor[step->thread].yields;
    if (yielded_less)
        want_all_before(tree, index);
    for (unsigned i = 0; i < step->announced; i++)
        want_before_end(tree, step->operation[i].thread, &step->operation[i]);
}

/* May `waiters` time out? Yes if no thread is ready, or if every ready thread is fair-blocked with the waiters counted as
 * enabled. */
bool rule_is_idle(const struct tree *tree, uint64_t ready, uint64_t waiters)
{
    return waiters && !(ready & ~fair_blocked(tree, ready | waiters));
}

/* While somebody waits who may time out, any step after which nobody else is ready makes the state idle, and then the waiters
 * count as enabled: a thread that has yielded more than they have may go on before that step and not after it. Where such a
 * thread is ready, everybody is tried (erratum E50). */
bool rule_may_be_idle_soon(const struct tree *tree, const struct frame *frame)
{
    uint64_t ready = frame->enabled & ~frame->timed, waiters = tree->waits_timed & ~frame->enabled;
    return waiters && tree->order.fair_bound != BPOR_UNBOUNDED && fair_blocked(tree, ready | waiters) & ready;
}

/* Does the fair bound keep one of these from running? */
bool rule_blocks_somebody(const struct tree *tree, uint64_t enabled)
{
    return tree->order.fair_bound != BPOR_UNBOUNDED && fair_blocked(tree, enabled);
}

/* Does the bound keep an enabled thread from running here? */
bool rule_refuses_somebody(const struct tree *tree, const struct frame *frame)
{
    EACH_THREAD (thread, frame->enabled)
        if (rule_refuses(tree, frame, thread))
            return true;
    return false;
}

/* May the bound forbid every way to go on, though somebody could? Where a thread is left that cannot go on, a switch costs; and a
 * local bound is exceeded by the next step of each thread. Other bounds let every execution come to its end. */
bool rule_strands(const struct tree *tree)
{
    return bounds_context(tree) || tree->causal;
}

/* Of two threads within the bound, does the first one come first? It does if it is earlier in the rotation, or has yielded
 * less. */
static bool better(const struct tree *tree, const struct frame *frame, unsigned thread, unsigned best)
{
    if (bounds_delta(tree))
        return passed_over(frame, best) & bit(thread);
    return tree->order.fair_bound != BPOR_UNBOUNDED && tree->actor[thread].yields < tree->actor[best].yields;
}

/* The last step turned out to be beyond a local bound: a try that was counted as a read did not fail. */
static bool is_beyond(const struct tree *tree)
{
    return tree->causal && tree->depth && tree->step[tree->depth - 1].beyond;
}

/* Initialize: the last thread if it is awake and within the bound; else the best of those who are, then the lowest. */
unsigned rule_initialize(const struct tree *tree, const struct frame *frame)
{
    unsigned best = NO_THREAD;
    uint64_t awake = is_beyond(tree) ? 0 : frame->enabled & ~rule_asleep(frame);
    if (frame->last != NO_THREAD && awake & bit(frame->last) && rule_allows(tree, frame, frame->last))
        return frame->last;
    EACH_THREAD (thread, awake)
        if (rule_allows(tree, frame, thread) && (best == NO_THREAD || better(tree, frame, thread, best)))
            best = thread;
    return best;
}

/* Why Initialize found nobody, though somebody is enabled. */
enum bpor_outcome rule_why_nobody(const struct tree *tree, const struct frame *frame)
{
    return is_beyond(tree) || frame->enabled & ~rule_asleep(frame) ? BPOR_OUTCOME_OVER_BOUND : BPOR_OUTCOME_REDUNDANT;
}
