/* The next execution as data, for a runtime that follows it by itself. */
#include "engine/library/engine.h"
#include "engine/plan.h"
#include <stdlib.h>

static _Thread_local struct bpor_engine *planned; /* the engine functions below have no argument for it */

static void put(struct bpor_engine *engine, uint64_t word)
{
    struct sleeping_words *words = &engine->sleeping;
    if (words->count == words->room) {
        uint64_t room = words->room ? 2 * words->room : 64, *larger = realloc(words->word, room * sizeof *larger);
        if (!larger) {
            engine_fail(engine, BPOR_ENGINE_FULL, "no memory for a plan");
            return;
        }
        words->word = larger;
        words->room = room;
    }
    words->word[words->count++] = word;
}

void bpor_plan_set(const struct bpor_plan *plan, const uint16_t *prefix)
{
    (void)plan;   /* whoever asks chose the bound, */
    (void)prefix; /* and the prefix is facts.schedule */
    planned->sleeping.count = planned->sleeping.sleepers = 0;
}

void bpor_plan_add_sleeper(unsigned thread, uint32_t accesses)
{
    planned->sleeping.sleepers++;
    put(planned, thread);
    put(planned, accesses);
}

void bpor_plan_add_access(struct bpor_access access)
{
    put(planned, access.object);
    put(planned, access.size);
    put(planned, access.write);
}

void bpor_plan_walked(struct bpor_tree_facts *facts, bool whole, uint64_t trace_hash)
{
    facts->tally.walked++;
    (void)whole; /* the executions of this very tree have shown it */
    (void)trace_hash;
}

void bpor_engine_plan(struct bpor_engine *engine, struct bpor_engine_plan *plan)
{
    planned = engine;
    if (engine->optimal)
        optimal_plan(&engine->wakeups, &engine->tree, &engine->facts);
    else
        tree_plan(&engine->tree, &engine->facts, false);
    *plan = (struct bpor_engine_plan){
        .schedule = engine_asks(engine) ? engine->wakeups.asked : engine->facts.schedule,
        .length = engine->needed,
        .sleepers = engine->sleeping.sleepers,
        .leads = engine->tree.leads,
        .asks = engine_asks(engine),
        .words = engine->sleeping.count,
        .sleeping = engine->sleeping.word,
    };
}

void bpor_engine_follow(struct bpor_engine *engine)
{
    struct tree *tree = &engine->tree;
    engine->position = engine->replayed;
    engine->hash = engine->replayed ? tree->step[engine->replayed - 1].step_hash : BPOR_FIRST_HASH;
    for (unsigned thread = 0; thread < THREADS; thread++)
        if (tree->actor[thread].operation) {
            unsigned number = engine->optimal ? engine->wakeups.number[thread] : thread;
            engine->kind[number] = tree->operation[tree->actor[thread].operation - 1].kind;
        }
}
