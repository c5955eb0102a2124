/* The life of a search: from one execution to the next. */
#define _GNU_SOURCE
#include "engine/library/engine.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <unistd.h>

static const char *const names[OP_COUNT] = {
#define OP(identifier, text, bits) [OP_##identifier] = #identifier,
#include "protocol/ops.def"
#undef OP
};

int32_t bpor_engine_kind(const char *name)
{
    for (int32_t kind = 0; kind < OP_COUNT; kind++)
        if (strcasecmp(names[kind], name) == 0)
            return kind;
    return -1;
}

static void begin_tree(struct bpor_engine *engine)
{
    const struct bpor_engine_options *options = &engine->options;
    struct bpor_tree_order order = {
        .flags = options->flags,
        .preemption_bound = options->preemption_bound,
        .fair_bound = options->fair_bound,
        .context_bound = options->context_bound,
        .delta_bound = options->delta_bound,
        .local_depth_bound = options->local_depth_bound,
        .local_context_bound = options->local_context_bound,
        .local_preemption_bound = options->local_preemption_bound,
        .stale_bound = options->stale_bound,
        .max_steps = options->max_steps,
        .match_limit = options->match_limit,
        .wakeup_order = options->order,
        .priorities = options->priorities < sizeof options->priority ? options->priorities : sizeof options->priority,
        .sample_seed = options->seed,
    };
    memcpy(order.priority, options->priority, sizeof order.priority);
    engine->optimal = options->flags & BPOR_ENGINE_OPTIMAL;
    if (engine->optimal)
        optimal_begin(&engine->wakeups, &engine->tree, &order);
    else
        tree_begin(&engine->tree, &order);
}

static enum next_run next_of(struct bpor_engine *engine)
{
    if (engine->optimal)
        return optimal_next(&engine->wakeups, &engine->tree, &engine->facts);
    return tree_next(&engine->tree, &engine->facts, engine->tree.knows ? &engine->table : NULL);
}

/* Its tables are large and mostly never used, so they are mapped, not allocated. */
struct bpor_engine *bpor_engine_new(const struct bpor_engine_options *options)
{
    struct bpor_engine *engine =
        mmap(NULL, sizeof *engine, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (engine == MAP_FAILED)
        return NULL;
    engine->options = *options;
    begin_tree(engine);
    return engine;
}

void bpor_engine_free(struct bpor_engine *engine)
{
    free(engine->sleeping.word);
    if (engine->shelf)
        close(engine->shelf - 1);
    munmap(engine, sizeof *engine);
}

void engine_fail(struct bpor_engine *engine, int32_t stop, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!engine->error[0])
        vsnprintf(engine->error, sizeof engine->error, format, arguments);
    va_end(arguments);
    engine->stop = stop;
}

static void leave_unnamed(struct tree *tree)
{
    const struct open_name *name;
    for (uint32_t cursor = 0; (name = open_unnamed(tree, &cursor));)
        open_tell_name(tree, name->kind, name->id, 0);
}

void bpor_engine_name(struct bpor_engine *engine, uint32_t kind, uint64_t id, uint32_t marks)
{
    if (engine->tree.best_first && (kind == BPOR_NAMED_OBJECT || kind == BPOR_NAMED_STACK))
        open_tell_name(&engine->tree, kind, id, marks);
}

int32_t bpor_engine_begin(struct bpor_engine *engine)
{
    if (engine->running)
        engine_fail(engine, BPOR_ENGINE_FULL, "an execution begins before the last one has ended");
    if (engine->error[0])
        return 0;
    enum next_run next = PAUSE;
    while ((next == PAUSE || next == ASK_NAMES || next == ASK_SHELF) && !engine->tree.full && !engine->error[0]) {
        next = next_of(engine);
        if (next == ASK_NAMES)
            leave_unnamed(&engine->tree);
        if (next == ASK_SHELF)
            engine_shelve(engine);
    }
    if (engine->error[0])
        return 0;
    if (next == NOTHING_LEFT)
        return 0;
    if (engine->tree.full) {
        engine_fail(engine, BPOR_ENGINE_FULL, "%s", engine->tree.why);
        return 0;
    }
    engine->running = true;
    engine->moved = false;
    engine->stop = 0;
    engine->position = 0;
    engine->replayed = engine->facts.begun ? engine->tree.depth : 0;
    engine->needed = engine->facts.begun ? engine->replayed + 1 : 0;
    if (engine_asks(engine)) {
        engine->needed = engine->wakeups.question.count;
        engine->replayed = engine->needed ? engine->needed - 1 : 0;
    }
    engine->answered = false;
    engine->hash = BPOR_FIRST_HASH;
    engine->pooled = 0;
    return 1;
}

/* The table was wrong, and so may be the stack: the search begins anew, without it. */
static void begin_without_table(struct bpor_engine *engine)
{
    engine->contradicted_at = engine->table.where + 1;
    tree_begin_anew(&engine->tree, &engine->facts);
}

void engine_diverge(struct bpor_engine *engine, const char *what)
{
    if (!engine->tree.knows) {
        engine_fail(engine, BPOR_ENGINE_DIVERGED, "step %u: %s", engine->position, what);
        return;
    }
    engine->table.contradicts = true;
    engine->table.where = engine->position;
    engine->stop = BPOR_ENGINE_REDUNDANT;
}

static enum bpor_outcome outcome_of(int32_t stop)
{
    switch (stop) {
    case BPOR_ENGINE_REDUNDANT:
        return BPOR_OUTCOME_REDUNDANT;
    case BPOR_ENGINE_OVER_BOUND:
        return BPOR_OUTCOME_OVER_BOUND;
    case BPOR_ENGINE_STEP_LIMIT:
        return BPOR_OUTCOME_STEP_LIMIT;
    case BPOR_ENGINE_MATCHED:
        return BPOR_OUTCOME_MATCHED;
    default:
        return BPOR_OUTCOME_EXIT;
    }
}

bool engine_asks(const struct bpor_engine *engine)
{
    return engine->optimal && engine->wakeups.asking;
}

static void end_optimal(struct bpor_engine *engine, bool died)
{
    struct optimal *optimal = &engine->wakeups;
    const struct told_step *step = &engine->step;
    enum bpor_outcome how = outcome_of(engine->stop);
    if (optimal->asking) {
        engine->asked++;
        optimal_answer(optimal, &engine->tree, &engine->facts, step->access, step->accesses, engine->answered, died);
        return;
    }
    if (!engine->facts.begun)
        optimal_start(optimal, &engine->tree, &engine->facts, 0, 0);
    optimal_end(optimal, &engine->tree, &engine->facts, how == BPOR_OUTCOME_EXIT, how == BPOR_OUTCOME_REDUNDANT);
    engine->facts.tally.executions++;
    engine->complete += how == BPOR_OUTCOME_EXIT;
}

void bpor_engine_end(struct bpor_engine *engine, int32_t died)
{
    struct tree *tree = &engine->tree;
    if (!engine->running)
        return;
    engine->running = false;
    engine->step.ends_process |= died != 0;
    if (engine->moved)
        engine_complete(engine, 0, 0);
    if (engine->position < engine->needed)
        engine_diverge(engine, "the execution ended, though it had gone on before");
    if (engine->error[0])
        return;
    if (engine->optimal) {
        end_optimal(engine, died);
        if (tree->full)
            engine_fail(engine, BPOR_ENGINE_FULL, "%s", tree->why);
        return;
    }
    if (engine->tree.knows && engine->table.contradicts) {
        engine->facts.tally.executions++;
        begin_without_table(engine);
        return;
    }
    if (!engine->facts.begun)
        tree_start(tree, &engine->facts, 0, 0);
    tree_end(tree, &engine->facts, outcome_of(engine->stop));
    engine->facts.tally.executions++;
    engine->complete += outcome_of(engine->stop) == BPOR_OUTCOME_EXIT;
    if (engine->tree.knows)
        known_learn_end(&engine->table, tree, outcome_of(engine->stop));
    engine->outside += tree->outside;
    if (tree->full)
        engine_fail(engine, BPOR_ENGINE_FULL, "%s", tree->why);
}

uint64_t bpor_engine_event(const struct bpor_engine *engine)
{
    const struct tree *tree = &engine->tree;
    return tree->depth ? tree->step[tree->depth - 1].hash : 0;
}

uint64_t bpor_engine_trace(const struct bpor_engine *engine)
{
    return tree_trace_hash(&engine->tree);
}

struct bpor_engine_counts bpor_engine_count(struct bpor_engine *engine)
{
    tree_estimate(&engine->tree, &engine->facts);
    cartesian_tell(&engine->tree, &engine->facts);
    return (struct bpor_engine_counts){
        .executions = engine->facts.tally.executions,
        .complete = engine->complete,
        .refused = engine->facts.refused,
        .refused_states = engine->refused_states + engine->table.refused,
        .matched = engine->tree.matches ? engine->tree.matching.matched : 0,
        .unidentified = engine->tree.matches ? engine->tree.matching.unidentified : 0,
        .outside = engine->outside,
        .walked = engine->facts.tally.walked,
        .checked = engine->table.checked,
        .asked = engine->asked,
        .contradicted_at = engine->contradicted_at,
        .nodes = engine->tree.best_first ? engine->tree.open.alive : engine->facts.states,
        .most_nodes = engine->tree.best_first ? engine->tree.open.most : engine->facts.most_nodes,
        .written = engine->tree.best_first ? engine->tree.open.shelf.written : 0,
        .written_bytes = engine->tree.best_first ? engine->tree.open.shelf.written_bytes : 0,
        .plain_bytes = engine->tree.best_first ? engine->tree.open.shelf.plain_bytes : 0,
        .low = engine->facts.low,
        .expected = engine->facts.expected,
        .high = engine->facts.high,
    };
}

int32_t bpor_engine_failed(const struct bpor_engine *engine)
{
    return engine->error[0] ? engine->stop : 0;
}

const char *bpor_engine_error(const struct bpor_engine *engine)
{
    return engine->error;
}
