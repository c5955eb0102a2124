/* The next execution of cartesian search: one thread alone, from a state that is not covered. */
#include "engine/plan.h"
#include "engine/tree.h"
#include <stddef.h>
#include <string.h>

enum {
    REACH = 64, /* steps that a thread runs alone at first, where circles are recognised */
    FURTHER = 8 /* times as many, if that was too short */
};

void cartesian_begin(struct tree *tree)
{
    struct cartesian *cartesian = &tree->cartesian;
    memset(cartesian, 0, offsetof(struct cartesian, path));
    cartesian->thread = NO_THREAD;
    memset(cartesian->midst_any, 0, sizeof cartesian->midst_any);
    memset(cartesian->midst_write, 0, sizeof cartesian->midst_write);
    memset(cartesian->come_through, 0, sizeof cartesian->come_through);
    covered_clear(tree);
}

uint32_t cartesian_most_steps(const struct tree *tree)
{
    const struct cartesian *cartesian = &tree->cartesian;
    uint32_t most = tree->order.max_steps;
    if (cartesian->task == TASK_ALONE && cartesian->reach < most - cartesian->depth)
        return cartesian->depth + cartesian->reach;
    return most;
}

/* ---- what came of the last one ---- */

static void back_to(struct tree *tree, uint32_t depth)
{
    while (tree->depth > depth) {
        tree->frames--;
        history_pop(tree);
    }
}

/* The state at hand is covered from now on. False: it turns out to be one that was. */
static bool cover(struct tree *tree, struct identity identity)
{
    struct cartesian *cartesian = &tree->cartesian;
    bool known = covered_has(tree, identity);
    cartesian->identified |= identity_is_known(identity);
    covered_add(tree, identity_of_hash(cartesian->hash));
    covered_add(tree, identity);
    share_covered(cartesian, identity_of_hash(cartesian->hash));
    cartesian->here = identity;
    cartesian->states += !known;
    return !known;
}

static void begin_state(struct tree *tree, uint64_t enabled)
{
    struct cartesian *cartesian = &tree->cartesian;
    cartesian->knows_state = true;
    cartesian->left = enabled;
    cartesian->moves = cartesian->touches = 0;
    memset(cartesian->solo, 0, sizeof cartesian->solo);
}

/* Who is enabled in a state is known, and its identity, if it has one: it may turn out to be one that is covered, or another's.
 */
static void looked(struct tree *tree)
{
    struct cartesian *cartesian = &tree->cartesian;
    struct cartesian_waiting state = {.hash = tree_trace_hash(tree),
                                      .enabled = tree->frame[tree->frames - 1].enabled,
                                      .identity = cartesian->last,
                                      .looked = true};
    bool known = covered_has(tree, identity_of_hash(state.hash));
    cartesian->identified |= identity_is_known(state.identity);
    if (!known && state.enabled && share_send(tree, &state))
        return;
    cartesian->hash = state.hash;
    if (cover(tree, state.identity) && !known)
        begin_state(tree, state.enabled);
}

static void settle(struct tree *tree)
{
    struct cartesian *cartesian = &tree->cartesian;
    cartesian->learned = false;
    if (cartesian->task == TASK_LOOK) {
        looked(tree);
    } else if (cartesian->task == TASK_ALONE) {
        bool done = solo_end(tree, cartesian->thread);
        cartesian->reach *= done ? 1 : FURTHER;
        if (!done)
            cartesian->left |= bit(cartesian->thread);
        else
            cartesian->thread = NO_THREAD;
    }
    back_to(tree, cartesian->depth);
}

/* ---- the states behind one whose threads have all run alone ---- */

/* A thread that goes round for ever where every other one does so too, or waits for what none of them will do. */
static unsigned endless(const struct cartesian *cartesian, uint64_t threads)
{
    unsigned found = NO_THREAD;
    EACH_THREAD (thread, threads) {
        const struct cartesian_prefix *prefix = &cartesian->prefix[thread];
        if (prefix->ended || (prefix->length && !prefix->infinite))
            return NO_THREAD;
        if (found == NO_THREAD && cartesian->solo[thread].halt == HALT_CIRCLE)
            found = thread;
    }
    return found;
}

static void push_after(struct tree *tree, unsigned thread)
{
    const struct cartesian *cartesian = &tree->cartesian;
    const struct cartesian_move *last = &cartesian->move[cartesian->solo[thread].first + cartesian->prefix[thread].length - 1];
    struct cartesian_waiting state = {
        .hash = last->hash, .enabled = last->enabled, .identity = last->identity, .looked = last->enabled != 0};
    waiting_push(tree, &state, bit(thread));
}

/* After all that end unnoticed: their steps commute, so their events are the ones that each of them made alone. */
static void push_together(struct tree *tree, uint64_t threads)
{
    const struct cartesian *cartesian = &tree->cartesian;
    struct cartesian_waiting state = {.hash = cartesian->hash};
    EACH_THREAD (thread, threads)
        state.hash +=
            cartesian->move[cartesian->solo[thread].first + cartesian->prefix[thread].length - 1].hash - cartesian->hash;
    waiting_push(tree, &state, threads);
}

/* Answers a thread that is endless, or NO_THREAD. */
static unsigned expand(struct tree *tree)
{
    struct cartesian *cartesian = &tree->cartesian;
    uint64_t threads = tree->live, together = 0;
    EACH_THREAD (thread, threads)
        if (cartesian->solo[thread].halt == HALT_NONE)
            solo_wait(tree, thread);
    cartesian_vector(tree, threads);
    EACH_THREAD (thread, threads) {
        const struct cartesian_prefix *prefix = &cartesian->prefix[thread];
        if (prefix->length == 0)
            continue;
        bool ends = cartesian->move[cartesian->solo[thread].first + prefix->length - 1].ends;
        if (!prefix->infinite && !ends)
            push_after(tree, thread);
        else if (prefix->ended)
            together |= bit(thread);
    }
    if (together)
        push_together(tree, together);
    cartesian->knows_state = false;
    return endless(cartesian, threads);
}

/* ---- the next execution ---- */

/* The number of steps on the history with which the path to the state begins. At least one step of the path is left to be
 * reported, so that a state in which the program turns out to end is not mistaken for an execution that never reached it. */
static void go_to_path(struct tree *tree)
{
    const struct cartesian *cartesian = &tree->cartesian;
    uint32_t common = 0, most = cartesian->depth ? cartesian->depth - 1 : 0;
    while (common < tree->depth && common < most && tree->step[common].thread == cartesian->path[common])
        common++;
    back_to(tree, common);
}

static enum next_run execute(struct tree *tree, struct bpor_tree_facts *facts, enum cartesian_task task, unsigned thread)
{
    struct cartesian *cartesian = &tree->cartesian;
    cartesian->task = task;
    cartesian->thread = thread;
    memcpy(facts->schedule, cartesian->path, cartesian->depth * sizeof facts->schedule[0]);
    facts->schedule[cartesian->depth] = (uint16_t)thread;
    if (task == TASK_ALONE) {
        solo_forget(tree, thread);
        solo_meets(tree, cartesian->here);
    }
    tree_choose_again(tree, facts, facts->schedule[tree->depth] % THREADS);
    facts->depth = tree->depth;
    facts->running = true;
    return EXECUTE;
}

static enum next_run run_alone(struct tree *tree, struct bpor_tree_facts *facts)
{
    struct cartesian *cartesian = &tree->cartesian;
    unsigned thread = 63 - (unsigned)__builtin_clzll(cartesian->left);
    if (cartesian->thread != thread)
        cartesian->reach = cartesian->identified ? REACH : tree->order.max_steps;
    cartesian->left &= ~bit(thread);
    return execute(tree, facts, TASK_ALONE, thread);
}

static enum next_run finish(struct tree *tree, struct bpor_tree_facts *facts)
{
    facts->depth = tree->depth;
    facts->finished = !tree->full;
    return NOTHING_LEFT;
}

enum next_run cartesian_next(struct tree *tree, struct bpor_tree_facts *facts)
{
    struct cartesian *cartesian = &tree->cartesian;
    struct cartesian_waiting state;
    if (cartesian->learned)
        settle(tree);
    while (!tree->full) {
        if (cartesian->knows_state && cartesian->left)
            return run_alone(tree, facts);
        if (cartesian->knows_state) {
            unsigned thread = expand(tree);
            if (thread != NO_THREAD && !cartesian->endless_shown) {
                cartesian->endless_shown = true;
                return execute(tree, facts, TASK_ENDLESS, thread);
            }
            continue;
        }
        if (!waiting_pop(tree, &state))
            return finish(tree, facts);
        if (covered_has(tree, identity_of_hash(state.hash)) || covered_has(tree, state.identity) || share_send(tree, &state))
            continue;
        cartesian->thread = NO_THREAD;
        go_to_path(tree);
        if (!state.looked || (cartesian->identified && !identity_is_known(state.identity)))
            return execute(tree, facts, TASK_LOOK, NO_THREAD);
        cartesian->hash = state.hash;
        if (cover(tree, state.identity))
            begin_state(tree, state.enabled);
    }
    return PAUSE;
}

/* ---- the plan, and what the execution did ---- */

/* Nothing wakes the others: what they watch is nothing. */
void cartesian_plan(const struct tree *tree, const struct bpor_tree_facts *facts)
{
    const struct cartesian *cartesian = &tree->cartesian;
    struct bpor_plan plan = {
        .flags = tree->order.flags & BPOR_TREE_IDENTIFY ? BPOR_PLAN_IDENTIFY : 0,
        .preemption_bound = BPOR_UNBOUNDED,
        .fair_bound = BPOR_UNBOUNDED,
        .context_bound = BPOR_UNBOUNDED,
        .delta_bound = BPOR_UNBOUNDED,
        .max_steps = cartesian_most_steps(tree),
        .prefix_length = cartesian->depth + (cartesian->task != TASK_LOOK),
        .report_from = facts->begun ? tree->depth : 0,
    };
    if (cartesian->task == TASK_LOOK)
        plan.flags |= BPOR_PLAN_STOP;
    if (cartesian->task == TASK_ENDLESS)
        plan.flags &= ~(uint32_t)BPOR_PLAN_IDENTIFY;
    if (tree->depth) {
        plan.flags |= BPOR_PLAN_CHECK_HASH;
        plan.hashed = tree->depth;
        plan.prefix_hash = tree->step[tree->depth - 1].step_hash;
    }
    bpor_plan_set(&plan, facts->schedule);
    for (unsigned thread = 0; cartesian->task == TASK_ALONE && thread < tree->width; thread++)
        if (thread != cartesian->thread)
            bpor_plan_add_sleeper(thread, 0);
}

bool cartesian_arrive(struct tree *tree, const struct told_step *step)
{
    struct cartesian *cartesian = &tree->cartesian;
    bool circles = false;
    cartesian->last = cartesian->told;
    cartesian->told = (struct identity){0};
    if (step == NULL)
        return false;
    uint32_t index = tree->depth - 1;
    if (index < cartesian->depth && step->thread != cartesian->path[index])
        tree_fail(tree, "another thread ran than was chosen");
    if (cartesian->task == TASK_ALONE && index >= cartesian->depth) {
        cartesian->astray |= step->thread != cartesian->thread;
        circles = !cartesian->astray && solo_step(tree, step);
    }
    return circles;
}

void cartesian_end(struct tree *tree)
{
    tree->cartesian.learned = true;
}

/* None of them is a schedule that was asked for as a whole, so those that are stopped count as redundant; those that end by
 * themselves are judged like any other. */
unsigned cartesian_outcome(const struct tree *tree, unsigned how)
{
    const struct cartesian *cartesian = &tree->cartesian;
    bool short_run = cartesian->task == TASK_ALONE && cartesian_most_steps(tree) < tree->order.max_steps;
    return how == BPOR_OUTCOME_STOPPED || (how == BPOR_OUTCOME_STEP_LIMIT && short_run) ? BPOR_OUTCOME_REDUNDANT : how;
}

unsigned cartesian_choose(const struct tree *tree, uint64_t enabled)
{
    const struct cartesian *cartesian = &tree->cartesian;
    unsigned last = tree->depth ? tree->step[tree->depth - 1].thread : NO_THREAD;
    if (tree->depth < cartesian->depth)
        return cartesian->path[tree->depth];
    switch (cartesian->task) {
    case TASK_LOOK:
        return NO_THREAD;
    case TASK_ALONE:
        return enabled & bit(cartesian->thread) ? cartesian->thread : NO_THREAD;
    default:
        if (tree->depth == cartesian->depth)
            return cartesian->thread;
        return enabled & bit(last) ? last : lowest(enabled);
    }
}

void cartesian_tell(struct tree *tree, struct bpor_tree_facts *facts)
{
    if (!tree->by_cartesian)
        return;
    share_tell(tree, facts);
    facts->states = tree->cartesian.states;
    facts->most_nodes = tree->cartesian.endless_shown;
    facts->unidentified = tree->cartesian.identified ? 0 : 1;
}
