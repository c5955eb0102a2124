/* One execution, call by call. */
#include "engine/library/engine.h"
#include <string.h>

/* ---- what is told ---- */

static const struct bpor_access *keep(struct bpor_engine *engine, const struct bpor_engine_access *access, uint32_t count)
{
    struct bpor_access *place = &engine->pool[engine->pooled];
    if (engine->pooled + count > POOL) {
        engine_fail(engine, BPOR_ENGINE_FULL, "step %u: too many accesses", engine->position);
        return place;
    }
    for (uint32_t i = 0; i < count; i++)
        place[i] = (struct bpor_access){access[i].object, access[i].size, access[i].write};
    engine->pooled += count;
    return place;
}

static bool sensible(struct bpor_engine *engine, const struct bpor_engine_operation *operation)
{
    if (operation->thread >= THREADS)
        engine_fail(engine, BPOR_ENGINE_FULL, "more than %d threads", THREADS);
    else if (operation->kind >= OP_COUNT)
        engine_fail(engine, BPOR_ENGINE_FULL, "there is no kind %u of operations", operation->kind);
    else if (engine->step.announced > THREADS)
        engine_fail(engine, BPOR_ENGINE_FULL, "step %u announces too many operations", engine->position);
    else
        return true;
    return false;
}

void bpor_engine_announce(struct bpor_engine *engine, const struct bpor_engine_operation *operation)
{
    if (engine->error[0] || !sensible(engine, operation))
        return;
    engine->kind[operation->thread] = (uint8_t)operation->kind;
    if (engine->position < engine->replayed || (!engine->moved && engine->facts.begun))
        return; /* the stack has it */
    struct told_operation told = {
        .thread = (uint8_t)operation->thread,
        .kind = (uint8_t)operation->kind,
        .target = (uint16_t)operation->target,
        .timed = operation->timed != 0,
        .stack = operation->stack,
        .access = keep(engine, operation->access, operation->count),
        .accesses = operation->count,
    };
    if (engine->error[0])
        return;
    if (engine->moved)
        engine->step.operation[engine->step.announced++] = told;
    else
        history_begin(&engine->tree, &told);
}

void bpor_engine_finish(struct bpor_engine *engine, uint32_t thread)
{
    if (thread < THREADS && engine->moved)
        engine->step.finished |= bit(thread);
}

uint32_t bpor_engine_alternative(const struct bpor_engine *engine)
{
    return engine->step.alternative;
}

void bpor_engine_offer(struct bpor_engine *engine, uint32_t count, uint32_t source)
{
    engine->step.alternatives = count > UINT8_MAX ? UINT8_MAX : (uint8_t)count;
    engine->step.source = engine->step.alternative ? source : 0;
    if (engine->step.alternative >= count)
        engine_diverge(engine, "a step had more alternatives before");
}

void bpor_engine_step(struct bpor_engine *engine, uint32_t flags, const struct bpor_engine_access *access, uint32_t count)
{
    struct told_step *step = &engine->step;
    if (engine->stop || engine->error[0])
        return;
    if (engine->moved) {
        engine_fail(engine, BPOR_ENGINE_FULL, "step %u: two steps without a call of schedule", engine->position);
        return;
    }
    engine->pooled = 0;
    step->flags = (uint8_t)(flags | (flags & BPOR_ENGINE_YIELDED ? BPOR_FLAG_CUT : 0));
    step->ends_process = bpor_properties(engine->kind[step->thread]) & ENDS;
    step->access = keep(engine, access, count);
    step->accesses = count;
    step->announced = 0;
    step->finished = 0;
    step->hash = engine->hash = step_hash(engine->hash, step, engine->kind[step->thread]);
    engine->moved = true;
}

/* ---- what comes of it ---- */

static void compare(struct bpor_engine *engine)
{
    if (engine->tree.step[engine->position].step_hash != engine->step.hash)
        engine_diverge(engine, "the same schedule did something else before");
}

static void complete_optimal(struct bpor_engine *engine, uint64_t ready, uint64_t waiters)
{
    struct tree *tree = &engine->tree;
    optimal_step(&engine->wakeups, tree, &engine->facts, &engine->step);
    if (!tree->full)
        optimal_state(&engine->wakeups, tree, ready, ready ? 0 : waiters);
}

void engine_complete(struct bpor_engine *engine, uint64_t ready, uint64_t waiters)
{
    struct tree *tree = &engine->tree;
    engine->moved = false;
    if (engine_asks(engine)) {
        engine->answered |= engine->position == engine->needed;
        engine->position++;
        return;
    }
    if (engine->position < engine->replayed) {
        compare(engine);
        engine->position++;
        return;
    }
    if (tree->knows)
        known_learn_step(&engine->table, tree, &engine->step);
    if (engine->optimal)
        complete_optimal(engine, ready, waiters);
    else
        tree_step(tree, &engine->facts, &engine->step);
    engine->position++;
    if (!tree->full && !engine->optimal) {
        bool idle = rule_is_idle(tree, ready, waiters);
        tree_state(tree, &engine->step, ready | (idle ? waiters : 0), idle ? waiters : 0);
    }
    if (tree->full)
        engine_fail(engine, BPOR_ENGINE_FULL, "%s", tree->why);
}

static bool same_state(const struct frame *frame, uint64_t ready, uint64_t waiters)
{
    return frame->enabled == (ready | frame->timed) && (!frame->timed || frame->timed == waiters);
}

/* In a state that is on the stack. */
static int32_t follow(struct bpor_engine *engine, uint64_t ready, uint64_t waiters)
{
    if (same_state(&engine->tree.frame[engine->position], ready, waiters)) {
        engine->step.alternative = (uint8_t)(engine->facts.schedule[engine->position] / BPOR_ALTERNATIVE);
        return engine->facts.schedule[engine->position] % BPOR_ALTERNATIVE;
    }
    engine_diverge(engine, "other threads are enabled than before");
    return engine->stop;
}

/* Where an execution of optimal search goes; what it is to show is the step behind the plan. */
static int32_t choose_optimal(struct bpor_engine *engine, uint64_t enabled)
{
    const struct optimal *optimal = &engine->wakeups;
    if (engine_asks(engine)) {
        unsigned thread = optimal->asked[engine->position];
        return engine->position == engine->needed && enabled & bit(thread) ? (int32_t)thread : BPOR_ENGINE_ASKED;
    }
    if (!enabled)
        return BPOR_ENGINE_NOBODY;
    if (engine->position >= engine->tree.order.max_steps)
        return BPOR_ENGINE_STEP_LIMIT;
    unsigned thread = optimal_choose(optimal, &engine->tree, &engine->facts, enabled);
    return thread == NO_THREAD ? BPOR_ENGINE_REDUNDANT : (int32_t)thread;
}

/* In a state of the plan. */
static int32_t follow_optimal(struct bpor_engine *engine, uint64_t enabled)
{
    if (engine_asks(engine))
        return engine->wakeups.asked[engine->position];
    if (engine->wakeups.node[engine->position].enabled == enabled)
        return engine->facts.schedule[engine->position];
    engine_diverge(engine, "other threads are enabled than before");
    return engine->stop;
}

static int32_t schedule_optimal(struct bpor_engine *engine, uint64_t enabled, uint64_t waiters)
{
    if (engine->position < engine->needed)
        return follow_optimal(engine, enabled);
    if (!engine->facts.begun)
        optimal_start(&engine->wakeups, &engine->tree, &engine->facts, enabled, enabled ? 0 : waiters);
    if (engine->tree.full)
        engine_fail(engine, BPOR_ENGINE_FULL, "%s", engine->tree.why);
    return engine->tree.full ? BPOR_ENGINE_FULL : choose_optimal(engine, enabled);
}

static int32_t choose_cartesian(struct tree *tree, uint64_t enabled, const struct bpor_tree_facts *facts)
{
    unsigned thread = tree->depth < cartesian_most_steps(tree) ? cartesian_choose(tree, enabled) : NO_THREAD;
    if (thread == NO_THREAD)
        return BPOR_ENGINE_REDUNDANT;
    tree_choose(tree, facts, thread);
    return (int32_t)thread;
}

static int32_t choose(struct bpor_engine *engine)
{
    struct tree *tree = &engine->tree;
    const struct frame *frame = &tree->frame[tree->frames - 1];
    if (!frame->enabled)
        return BPOR_ENGINE_NOBODY;
    if (tree->recognised)
        return tree->matches ? BPOR_ENGINE_MATCHED : BPOR_ENGINE_REDUNDANT;
    if (engine->position >= tree->order.max_steps)
        return BPOR_ENGINE_STEP_LIMIT;
    if (tree->by_cartesian)
        return choose_cartesian(tree, frame->enabled, &engine->facts);
    engine->refused_states += rule_refuses_somebody(tree, frame);
    struct known *known = tree->knows ? &engine->table : NULL;
    unsigned thread = tree->by_graphs ? graphs_choose(tree, known) : rule_initialize(tree, frame);
    if (thread == NO_THREAD && tree->by_graphs)
        return BPOR_ENGINE_REDUNDANT;
    if (thread == NO_THREAD)
        return rule_why_nobody(tree, frame) == BPOR_OUTCOME_OVER_BOUND ? BPOR_ENGINE_OVER_BOUND : BPOR_ENGINE_REDUNDANT;
    tree_choose(tree, &engine->facts, thread);
    return (int32_t)thread;
}

void bpor_engine_identify(struct bpor_engine *engine, uint64_t low, uint64_t high)
{
    bool new_state = !engine->facts.begun || engine->position + engine->moved > engine->replayed;
    if (engine->tree.matches && new_state)
        engine->tree.matching.told = (struct identity){low, high};
    if (engine->tree.by_cartesian)
        engine->tree.cartesian.told = (struct identity){low, high};
}

int32_t bpor_engine_schedule(struct bpor_engine *engine, uint64_t enabled, uint64_t waiters)
{
    struct tree *tree = &engine->tree;
    if (engine->moved)
        engine_complete(engine, enabled, waiters);
    if (engine->error[0] || engine->stop)
        return engine->stop;
    if (tree->knows && engine->position >= engine->needed)
        known_learn_state(&engine->table, tree, enabled);
    int32_t thread;
    engine->step.alternative = engine->step.alternatives = 0;
    engine->step.source = 0;
    if (engine->optimal) {
        thread = schedule_optimal(engine, enabled, waiters);
    } else if (engine->position < engine->needed) {
        thread = follow(engine, enabled, waiters);
    } else {
        if (!engine->facts.begun)
            tree_start(tree, &engine->facts, enabled ? enabled : waiters, enabled ? 0 : waiters);
        thread = choose(engine);
    }
    if (thread < 0) {
        engine->stop = thread;
        return thread;
    }
    engine->step.thread = (uint8_t)thread;
    engine->step.enabled = engine->optimal ? enabled : tree->frame[engine->position].enabled;
    return thread;
}
