/* Tree: depth-first search by re-execution, with backtrack points from races, sleep sets and a bound's rule: Explore of BPOR
 * (2013, Alg. 1 and 2; our corrections are listed in docs/algorithm.md), without recursion.
 *
 * Invariant: frame[k] is the state before step k; the top frame is where the next choice is made. */
#include "engine/tree.h"
#include "engine/known.h"
#include "engine/plan.h"
#include <stdio.h>
#include <string.h>

enum { WALKS_AT_ONCE = 32 };

void tree_give_up(struct tree *tree, const char *what)
{
    if (!tree->full)
        snprintf(tree->why, sizeof tree->why, "too many %s for the search beside the program", what);
    tree->full = true;
}

void tree_fail(struct tree *tree, const char *what)
{
    if (!tree->full)
        snprintf(tree->why, sizeof tree->why, "the search beside the program: %s at step %u", what, tree->depth);
    tree->full = tree->wrong = true;
}

static void obey(struct tree *tree, const struct bpor_tree_order *order)
{
    bool fair = order->fair_bound != BPOR_UNBOUNDED, bounded = order->preemption_bound != BPOR_UNBOUNDED;
    bool context = order->context_bound != BPOR_UNBOUNDED, delta = order->delta_bound != BPOR_UNBOUNDED;
    tree->order = *order;
    tree->matches = order->flags & (BPOR_TREE_MATCH | BPOR_TREE_MATCH_CAUSAL);
    tree->recognised = false;
    /* A walk along known steps meets no states, and the searches that serve as a reference execute everything. */
    tree->knows = order->flags & BPOR_TREE_KNOWN_STEPS && !tree->matches && !(order->flags & BPOR_TREE_EVERYTHING);
    tree->leads = tree->knows && order->flags & BPOR_TREE_LEADS && (fair || bounded) && !context && !delta;
    tree->leads_within = order->preemption_bound;
    tree->led = tree->outside = false;
    if (tree->leads) {
        tree->order.preemption_bound = BPOR_UNBOUNDED;
        fair = bounded = false;
    }
    tree->best_first = order->flags & BPOR_TREE_BEST_FIRST;
    tree->by_graphs = order->flags & BPOR_TREE_GRAPHS;
    tree->by_cartesian = order->flags & BPOR_TREE_CARTESIAN;
    tree->reduces = !(order->flags & BPOR_TREE_EVERYTHING) && !tree->by_graphs && !tree->by_cartesian;
    if (tree->by_graphs) /* what a state costs is a matter of all ways to it: whoever runs ahead does not preempt */
        tree->order.preemption_bound = BPOR_UNBOUNDED;
    tree->sleeps = tree->reduces && order->flags & BPOR_TREE_SLEEP_SETS;
    tree->watches_blocks = tree->reduces && (bounded || context);
    tree->watches_waits = context;
    tree->wakes_next = tree->watches_blocks && !context;
    tree->knows_whole = tree->reduces && (context || delta);
    tree->causal = (order->local_depth_bound & order->local_context_bound & order->local_preemption_bound) != BPOR_UNBOUNDED;
    tree->releases_sleep = !fair && !delta;
    tree->sleeps_beside_timed = !fair && !delta;                                      /* errata E48, E62 */
    tree->jumps = !bounded && !fair && order->flags & BPOR_TREE_RELEASE_OPTIMISATION; /* erratum E7 */
}

void tree_begin(struct tree *tree, const struct bpor_tree_order *order)
{
    memset(tree, 0, offsetof(struct tree, cell_order));
    obey(tree, order);
    if (tree->matches)
        matching_begin(tree);
    if (tree->best_first)
        open_begin(tree);
    if (tree->by_graphs)
        graphs_begin(tree);
    if (tree->by_cartesian)
        cartesian_begin(tree);
    tree->widest = 1;
    below_raise(tree, order->below);
}

/* The bound that a search which leads has ignored so far. */
static struct bpor_tree_order order_without(const struct tree *tree, uint32_t flags)
{
    struct bpor_tree_order order = tree->order;
    order.flags &= ~flags;
    order.preemption_bound = tree->leads_within;
    return order;
}

/* The same search from its beginning, without the table of known steps: it was wrong, and so may be the stack. */
void tree_begin_anew(struct tree *tree, struct bpor_tree_facts *facts)
{
    struct bpor_tree_order order = order_without(tree, BPOR_TREE_KNOWN_STEPS | BPOR_TREE_LEADS);
    facts->begun = facts->finished = facts->running = facts->learning = 0;
    facts->refused = facts->depth = 0;
    tree_begin(tree, &order);
}

static struct frame *top(struct tree *tree)
{
    return &tree->frame[tree->frames - 1];
}

/* The bound keeps a thread from running here; so it may below every frame above, and never lets it sleep. */
void tree_refuse(struct frame *frame, struct bpor_tree_facts *facts)
{
    frame->exceeded = true;
    facts->refused += !frame->refused;
    frame->refused = true;
}

/* At the top of the stack. A state that is somebody else's is counted there. */
static void refuse_alternatives(struct tree *tree, struct bpor_tree_facts *facts)
{
    struct frame *frame = top(tree);
    if (tree->depth >= tree->root)
        tree_refuse(frame, facts);
    else
        frame->exceeded = frame->refused = true;
}

/* ---- the next execution ---- */

/* The next thread to try, the last one first: the sleep rule requires that order (erratum E26). */
static unsigned pick(struct tree *tree, struct frame *frame, struct bpor_tree_facts *facts)
{
    for (;;) {
        uint64_t ready = frame->backtrack & ~frame->done;
        if (!ready && frame->exceeded)
            ready = frame->conservative & ~frame->done;
        if (!ready)
            return NO_THREAD;
        unsigned thread = frame->last != NO_THREAD && ready & bit(frame->last) ? frame->last : lowest(ready);
        frame->done |= bit(thread);
        if (rule_asleep(frame) & bit(thread))
            continue;
        if (rule_allows(tree, frame, thread))
            return thread;
        tree_refuse(frame, facts);
    }
}

static void choose(struct tree *tree, struct frame *frame, unsigned thread, const struct bpor_tree_facts *facts)
{
    uint32_t index = (uint32_t)(frame - tree->frame);
    bool goes_on = thread == frame->last && !frame->free;
    frame->chosen = (uint8_t)thread;
    frame->watch = frame->kept = WATCH_NONE;
    frame->alternative = 0;
    frame->alternatives = 1;
    frame->partial = true;
    frame->runs_before = facts->tally.executions;
    frame->block = goes_on ? frame[-1].block : index;
}

void tree_choose_again(struct tree *tree, const struct bpor_tree_facts *facts, unsigned thread)
{
    choose(tree, top(tree), thread, facts);
}

void tree_finish_choice(struct tree *tree, struct frame *frame, const struct bpor_tree_facts *facts)
{
    unsigned thread = frame->chosen;
    if (thread == NO_THREAD)
        return;
    frame->chosen = NO_THREAD;
    if (tree->sleeps)
        sleep_fall_asleep(tree, frame, thread);
    if ((frame->backtrack | frame->conservative) & ~bit(thread)) {
        uint64_t size = facts->tally.executions - frame->runs_before;
        frame->sizes_least = frame->sizes && frame->sizes_least < size ? frame->sizes_least : size;
        frame->sizes_most = frame->sizes_most > size ? frame->sizes_most : size;
        frame->sizes_sum += size;
        frame->sizes++;
    }
}

static void leave(struct tree *tree, struct frame *frame)
{
    if (tree->matches)
        matching_leave(tree, frame);
    sleep_forget(tree, frame);
    if (--tree->frames) {
        frame[-1].exceeded |= frame->exceeded;
        bool partial = frame->exceeded || frame->asleep & ~frame->whole;
        frame[-1].partial = partial || (frame[-1].alternative && frame[-1].partial);
        history_pop(tree);
        if (tree->matches)
            matching_popped(tree);
    }
}

/* What is to be tried in a state before anything is known of it. In an idle one every timed waiter may be the first whose time is
 * up (erratum E22). */
static void want_first(const struct tree *tree, struct frame *frame, unsigned thread)
{
    bool everybody = !tree->reduces || rule_may_be_idle_soon(tree, frame);
    frame->backtrack |= bit(thread) | frame->timed | (everybody ? frame->enabled : 0);
}

/* A trace exceeds the bound, so the bound matters: the bounded search begins, in the state in which this one began.
 */
static void stop_leading(struct tree *tree, struct bpor_tree_facts *facts)
{
    struct bpor_tree_order order = order_without(tree, BPOR_TREE_LEADS);
    struct frame *first = tree->frame;
    sleep_cut(tree);
    for (; tree->frames > 1; leave(tree, top(tree)))
        tree_finish_choice(tree, top(tree), facts);
    tree_finish_choice(tree, first, facts);
    sleep_forget(tree, first);
    obey(tree, &order);
    *first = (struct frame){.enabled = first->enabled, .timed = first->timed, .last = NO_THREAD, .chosen = NO_THREAD};
    rule_enter(tree, first, NULL, NULL);
    want_first(tree, first, rule_initialize(tree, first));
    facts->refused = 0;
}

enum next_run tree_execute(struct tree *tree, struct bpor_tree_facts *facts)
{
    const struct frame *frame = top(tree);
    facts->schedule[tree->depth] = (uint16_t)choice_of(frame->chosen, frame->alternative);
    facts->depth = tree->depth;
    facts->running = true;
    return EXECUTE;
}

/* Chooses the next execution. Chosen, it stays so until it was learned. With a table of known steps (or NULL), runs that would
 * show nothing new are walked through here. */
enum next_run tree_next(struct tree *tree, struct bpor_tree_facts *facts, struct known *known)
{
    uint32_t patience = WALKS_AT_ONCE;
    if (facts->running)
        return EXECUTE;
    if (!facts->begun) {
        facts->running = true;
        return EXECUTE;
    }
    if (tree->best_first)
        return open_next(tree, facts, known);
    if (tree->by_graphs)
        return graphs_next(tree, facts, known);
    if (tree->by_cartesian)
        return cartesian_next(tree, facts);
    while (tree->frames > tree->root) {
        if (tree->led && tree->order.flags & BPOR_TREE_IN_PARTS)
            return LEFT_BOUND;
        if (tree->led)
            stop_leading(tree, facts);
        if (patience == 0)
            return PAUSE;
        struct frame *frame = top(tree);
        if (alternatives_next(tree, frame))
            return tree_execute(tree, facts);
        tree_finish_choice(tree, frame, facts);
        unsigned thread = pick(tree, frame, facts);
        if (thread != NO_THREAD) {
            choose(tree, frame, thread, facts);
            if (known && known_walk(known, tree, facts)) {
                patience--;
                continue;
            }
            if (tree->led)
                continue;
            return tree_execute(tree, facts);
        }
        leave(tree, frame);
    }
    facts->depth = tree->depth;
    facts->finished = true;
    return NOTHING_LEFT;
}

/* Tells the runtime what tree_next chose. `with_prefix`: the steps that are on the stack are told, not only compared. */
void tree_plan(const struct tree *tree, const struct bpor_tree_facts *facts, bool with_prefix)
{
    if (tree->by_cartesian) {
        cartesian_plan(tree, facts);
        return;
    }
    struct bpor_plan plan = {
        .preemption_bound = tree->matches ? matching_limit(tree) : tree->order.preemption_bound,
        .fair_bound = tree->order.fair_bound,
        .context_bound = tree->order.context_bound,
        .delta_bound = tree->order.delta_bound,
        .max_steps = tree->order.max_steps,
    };
    plan.prefix_length = facts->begun ? tree->depth + 1 : tree->order.below;
    plan.report_from = facts->begun && !with_prefix ? tree->depth : 0;
    if (plan.prefix_length && tree->wakes_next)
        plan.flags |= BPOR_PLAN_WAKE_NEXT;
    if (plan.prefix_length > 1 && !with_prefix) {
        plan.flags |= BPOR_PLAN_CHECK_HASH;
        plan.hashed = plan.prefix_length - 1;
        plan.prefix_hash = facts->begun ? tree->step[tree->depth - 1].step_hash : tree->order.below_hash;
    }
    if (tree->order.flags & BPOR_TREE_MATCH)
        plan.flags |= BPOR_PLAN_IDENTIFY | BPOR_PLAN_NAMES | BPOR_PLAN_MATCH;
    bpor_plan_set(&plan, facts->schedule);
    if (!facts->begun)
        sleep_plan_given(tree);
    else if (tree->sleeps)
        sleep_plan(tree, &tree->frame[tree->frames - 1], tree->frame[tree->frames - 1].chosen);
}

/* ---- what the execution did ---- */

static struct frame *new_frame(struct tree *tree, uint64_t enabled, uint64_t timed, unsigned last)
{
    struct frame *frame = &tree->frame[tree->frames++];
    bool begins = tree->frames == tree->order.below; /* the subtree: who sleeps here was told */
    *frame = (struct frame){.enabled = enabled,
                            .timed = timed,
                            .last = (uint8_t)last,
                            .chosen = NO_THREAD,
                            .block = tree->frames - 1,
                            .asleep = begins ? tree->given : 0,
                            .sleepers = begins ? 0 : tree->sleepers};
    return frame;
}

/* `thread` runs at the top of the stack, a state that nobody has seen before: the bound's Initialize chose it. */
void tree_choose(struct tree *tree, const struct bpor_tree_facts *facts, unsigned thread)
{
    struct frame *frame = top(tree);
    if (rule_asleep(frame) & bit(thread))
        tree_fail(tree, "a thread ran that sleeps");
    choose(tree, frame, thread, facts);
    frame->done |= bit(thread);
    want_first(tree, frame, thread);
    rule_initial(tree, frame, thread);
}

/* An executor that does not know local bounds ran `thread` at the top of the stack, a state that nobody has seen before. True: it
 * may not run there; whom Initialize chooses instead, if anybody, is to be tried. */
bool tree_cut(struct tree *tree, unsigned thread)
{
    struct frame *frame = top(tree);
    unsigned allowed = rule_initialize(tree, frame);
    if (allowed == thread)
        return false;
    if (allowed != NO_THREAD)
        frame->backtrack |= bit(allowed);
    return true;
}

/* The state before the first step. */
void tree_start(struct tree *tree, struct bpor_tree_facts *facts, uint64_t enabled, uint64_t timed)
{
    struct frame *frame = new_frame(tree, enabled, timed, NO_THREAD);
    facts->begun = true;
    rule_enter(tree, frame, NULL, NULL);
    if (tree->best_first)
        open_arrive(tree, NULL);
    if (tree->by_graphs)
        graphs_arrive(tree, NULL);
    if (tree->by_cartesian)
        cartesian_arrive(tree, NULL);
    if (tree->matches) {
        matching_arrive(tree, frame, NULL, NULL);
        matching_recognises(tree);
    }
}

static void race(struct tree *tree, uint32_t index, unsigned thread)
{
    uint32_t acquisition = tree->step[index].acquisition;
    if (tree->jumps && acquisition) {
        const struct announced *operation = history_operation(tree, thread);
        if (operation && locks_waits_for(tree, operation, &tree->step[index]))
            index = acquisition - 1;
    }
    rule_backtrack(tree, index, thread);
}

static void detect_races(struct tree *tree, uint32_t index, const struct told_step *step)
{
    uint32_t found[THREADS];
    EACH_THREAD (thread, tree->racing)
        race(tree, index, thread);
    rule_enabled_by(tree, index, step);
    for (unsigned i = 0; i < step->announced; i++) {
        unsigned thread = step->operation[i].thread;
        unsigned count = history_last_dependents(tree, thread, found);
        /* A thread that was just created cannot run before its creation: that is no option of the search. */
        if (count && (tree->order.flags & BPOR_TREE_TRANSITIVE_REDUCTION || thread != step->thread))
            count = history_uncovered(tree, thread, found, count);
        for (unsigned k = 0; k < count; k++)
            race(tree, found[k], thread);
    }
}

/* Does a step depend on everything before it although its announced footprint does not say so? A step does that turns out to end
 * the process, by a crash in the code after it (erratum E21). So does a timeout while the fair bound blocks a thread: any earlier
 * step may be the one without which the state would not be idle (erratum E48). */
static bool depends_on_all(const struct tree *tree, const struct frame *frame, const struct told_step *step)
{
    if (step->ends_process && !(bpor_properties(history_operation(tree, step->thread)->kind) & ENDS))
        return true;
    return frame->timed & bit(step->thread) && frame->enabled & ~frame->timed;
}

static void detect_all(struct tree *tree, unsigned thread)
{
    uint32_t found[THREADS];
    unsigned count = history_last_of_others(tree, thread, found);
    count = history_uncovered(tree, thread, found, count);
    for (unsigned i = 0; i < count; i++)
        rule_backtrack(tree, found[i], thread);
}

/* What may time out only where the fair bound keeps somebody waiting depends on all before it, even if it is never run: the
 * other bound may refuse it (erratum E63). */
static void detect_idle(struct tree *tree, const struct frame *frame)
{
    if (tree->knows_whole && frame->enabled & ~frame->timed)
        EACH_THREAD (thread, frame->timed)
            detect_all(tree, thread);
}

static bool detects(const struct tree *tree, uint32_t index)
{
    return (tree->reduces || tree->best_first) && !below_knows(tree, index);
}

/* A new step. */
void tree_step(struct tree *tree, struct bpor_tree_facts *facts, const struct told_step *step)
{
    if (top(tree)->chosen != step->thread || !tree->actor[step->thread].operation) {
        tree_fail(tree, "another thread ran than was chosen");
        return;
    }
    if (detects(tree, tree->depth) && depends_on_all(tree, top(tree), step))
        detect_all(tree, step->thread);
    if (step->alternatives > 1 && tree->knows) {
        tree_give_up(tree, "alternatives of one step");
        return;
    }
    if (alternatives_offered(tree, top(tree), step->alternatives))
        refuse_alternatives(tree, facts);
    facts->schedule[tree->depth] = (uint16_t)choice_of(step->thread, step->alternative);
    tree->racing = history_push(tree, step);
    if (tree->leads &&
        tree->order.fair_bound != BPOR_UNBOUNDED) /* while nobody yields or times out, the fair bound changes nothing */
        tree->led |= step->flags & BPOR_FLAG_YIELD || tree->waits_timed;
}

/* The state to which the last step led. */
void tree_state(struct tree *tree, const struct told_step *step, uint64_t enabled, uint64_t timed)
{
    struct frame *before = top(tree), *frame = new_frame(tree, enabled, timed, step->thread);
    alternatives_step(tree, before, frame, step);
    rule_enter(tree, frame, before, step);
    if (tree->matches)
        matching_arrive(tree, frame, before, step);
    if (tree->sleeps && !below_knows(tree, tree->depth - 1))
        sleep_push(tree, before, step, frame);
    if (detects(tree, tree->depth - 1)) {
        detect_races(tree, tree->depth - 1, step);
        detect_idle(tree, frame);
    }
    tree->recognised = tree->matches && matching_recognises(tree);
    if (tree->best_first)
        open_arrive(tree, step);
    if (tree->by_graphs)
        tree->recognised = graphs_arrive(tree, step);
    if (tree->by_cartesian)
        tree->recognised = cartesian_arrive(tree, step);
}

/* Initialize, where the executor left it to us. */
static void go_on(struct tree *tree, struct frame *frame, struct bpor_tree_facts *facts)
{
    unsigned thread = rule_initialize(tree, frame);
    if (thread != NO_THREAD) {
        want_first(tree, frame, thread);
        return;
    }
    frame->backtrack |= frame->timed;
    if (rule_why_nobody(tree, frame) == BPOR_OUTCOME_OVER_BOUND)
        tree_refuse(frame, facts);
}

void tree_end(struct tree *tree, struct bpor_tree_facts *facts, enum bpor_outcome outcome)
{
    struct frame *frame = top(tree);
    sleep_cut(tree);
    if (matching_goes_on(tree, outcome))
        go_on(tree, frame, facts);
    if (outcome == BPOR_OUTCOME_OVER_BOUND)
        tree_refuse(frame, facts);
    if (outcome == BPOR_OUTCOME_OVER_BOUND || outcome == BPOR_OUTCOME_REDUNDANT)
        frame->backtrack |= frame->timed;
    if (tree->best_first)
        tree->open.unsettled = true;
    if (tree->by_graphs)
        graphs_end(tree, outcome);
    if (tree->by_cartesian)
        cartesian_end(tree);
    facts->depth = tree->depth;
    facts->running = false;
}

uint64_t tree_trace_hash(const struct tree *tree)
{
    return tree->depth ? tree->step[tree->depth - 1].trace_hash : 0;
}
