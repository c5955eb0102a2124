/* One pass over the log. Events that come before the first step tell the state in which reporting began: the tree knows it,
 * unless it is the very first. The runtime does not know local bounds, so steps that it ran beyond such a bound are ignored. */
#include "beside/reader.h"
#include "beside/sampling.h"
#include "engine/known.h"
#include <string.h>

static void collect(struct reader *reader, const struct bpor_event *event)
{
    for (unsigned i = 0; i < event->accesses && reader->accesses < BPOR_MAX_ACCESSES; i++)
        reader->access[reader->accesses++] = event->access[i];
}

/* The footprint collected so far, in the pool of a step. */
static const struct bpor_access *take_footprint(struct reader *reader, unsigned step, unsigned *count)
{
    struct bpor_access *place = &reader->pool[step][reader->pooled[step]];
    *count = reader->accesses;
    memcpy(place, reader->access, reader->accesses * sizeof *place);
    reader->pooled[step] += reader->accesses;
    reader->accesses = 0;
    return place;
}

static void begin_step(struct reader *reader, const struct bpor_event *event)
{
    unsigned number = reader->current ^= 1;
    struct told_step *step = &reader->step[number];
    reader->pooled[number] = 0;
    collect(reader, event);
    step->thread = (uint8_t)event->thread;
    step->flags = event->flags;
    step->ends_process = false;
    step->enabled = event->enabled;
    step->timed = reader->timed;
    step->hash = event->hash;
    step->alternatives = reader->alternatives;
    step->alternative = reader->alternative;
    step->source = reader->source;
    reader->alternatives = reader->alternative = 0;
    reader->source = 0;
    step->access = take_footprint(reader, number, &step->accesses);
    step->announced = 0;
    step->finished = 0;
    reader->timed = 0;
}

/* Which state the next one is, if it was told. */
static void identify(struct reader *reader, struct tree *tree)
{
    bool known = identity_is_known(reader->state);
    struct identity told = known ? identity_with(reader->state, reader->era) : (struct identity){0};
    if (tree->matches)
        tree->matching.told = told;
    if (tree->by_cartesian)
        tree->cartesian.told = told;
    reader->state = (struct identity){0};
}

/* The thread that the runtime chose; or another one, if that one is beyond a local bound, or beyond one that counts otherwise
 * where states are recognised: then the execution is cut here. */
static void choose(struct reader *reader, const struct lesson *lesson, unsigned thread)
{
    struct tree *tree = lesson->tree;
    if (tree->by_graphs && !graphs_follows(tree, thread)) {
        reader->stopped = BPOR_OUTCOME_REDUNDANT;
        return;
    }
    bool asks = tree->matches || (tree->causal && tree->depth >= tree->order.below);
    if (asks && tree_cut(tree, thread))
        reader->stopped = tree->matches ? BPOR_OUTCOME_MATCHED : BPOR_OUTCOME_OVER_BOUND;
    else
        tree_choose(tree, lesson->facts, thread);
}

static void complete_drawn(const struct lesson *lesson, const struct told_step *step)
{
    sampling_step(lesson->drawn, lesson->tree, lesson->facts, step);
    if (!lesson->tree->full)
        lesson->learned(lesson->tree);
}

static void complete_optimal(const struct lesson *lesson, const struct told_step *step, uint64_t enabled, uint64_t timed)
{
    optimal_step(lesson->optimal, lesson->tree, lesson->facts, step);
    if (!lesson->tree->full)
        optimal_state(lesson->optimal, lesson->tree, enabled, timed);
    if (!lesson->tree->full)
        lesson->learned(lesson->tree);
}

static void start(const struct lesson *lesson, uint64_t enabled, uint64_t timed)
{
    if (lesson->optimal)
        optimal_start(lesson->optimal, lesson->tree, lesson->facts, enabled, timed);
    else if (lesson->drawn)
        lesson->facts->begun = true;
    else
        tree_start(lesson->tree, lesson->facts, enabled, timed);
}

static void complete(struct reader *reader, const struct lesson *lesson, struct told_step *step, uint64_t enabled, uint64_t timed,
                     const struct told_step *following)
{
    reader->steps++;
    if (lesson->optimal) {
        complete_optimal(lesson, step, enabled, timed);
        return;
    }
    if (lesson->drawn) {
        complete_drawn(lesson, step);
        return;
    }
    const struct announced *operation = history_operation(lesson->tree, step->thread);
    step->ends_process |= operation && bpor_properties(operation->kind) & ENDS;
    if (lesson->known)
        known_learn_step(lesson->known, lesson->tree, step);
    tree_step(lesson->tree, lesson->facts, step);
    if (lesson->tree->full)
        return;
    identify(reader, lesson->tree);
    tree_state(lesson->tree, step, enabled, timed);
    if (lesson->tree->recognised)
        reader->stopped = lesson->tree->matches ? BPOR_OUTCOME_MATCHED : BPOR_OUTCOME_REDUNDANT;
    if (lesson->known && (following || !lesson->over))
        known_learn_state(lesson->known, lesson->tree, enabled & ~timed);
    if (following && !reader->stopped)
        choose(reader, lesson, following->thread);
    if (!lesson->tree->full)
        lesson->learned(lesson->tree);
}

static void on_step(struct reader *reader, const struct lesson *lesson, const struct bpor_event *event)
{
    struct told_step *before = &reader->step[reader->current];
    bool first = reader->pooled[reader->current] == UINT32_MAX;
    begin_step(reader, event);
    struct told_step *step = &reader->step[reader->current];
    if (first && lesson->facts->begun)
        reader->state = (struct identity){0}; /* the tree knows it */
    if (!first) {
        complete(reader, lesson, before, step->enabled, step->timed, step);
    } else if (!lesson->facts->begun) {
        identify(reader, lesson->tree);
        start(lesson, step->enabled, step->timed);
        if (lesson->known)
            known_learn_state(lesson->known, lesson->tree, step->enabled & ~step->timed);
        if (!lesson->optimal && !lesson->drawn)
            choose(reader, lesson, step->thread);
    }
}

/* The stack of the next operation: a number for it. */
static uint64_t take_stack(struct reader *reader, const struct lesson *lesson)
{
    uint64_t hash = 0;
    for (unsigned i = 0; i < reader->frames; i++)
        hash = bpor_mix(hash, reader->frame[i]);
    if (reader->frames && lesson->called)
        lesson->called(hash | 1, reader->frame, reader->frames);
    hash = reader->frames && lesson->called ? hash | 1 : 0;
    reader->frames = 0;
    return hash;
}

static void on_pending(struct reader *reader, const struct lesson *lesson, const struct bpor_event *event)
{
    struct told_operation told = {
        .thread = (uint8_t)event->thread,
        .kind = event->op,
        .order = event->flags / BPOR_FLAG_ORDER,
        .timed = event->flags & BPOR_FLAG_TIMEOUT,
        .target = event->target,
        .site = event->site,
        .stack = take_stack(reader, lesson),
    };
    bool before_first = reader->pooled[reader->current] == UINT32_MAX;
    struct told_step *step = &reader->step[reader->current];
    collect(reader, event);
    if (!before_first && step->announced <= THREADS) {
        told.access = take_footprint(reader, reader->current, &told.accesses);
        step->operation[step->announced++] = told;
        return;
    }
    told.access = reader->access;
    told.accesses = reader->accesses;
    if (!lesson->facts->begun)
        history_begin(lesson->tree, &told);
    reader->accesses = 0;
}

static void on_event(struct reader *reader, const struct lesson *lesson, const struct bpor_event *event)
{
    switch (event->type) {
    case BPOR_EVENT_STEP:
        on_step(reader, lesson, event);
        break;
    case BPOR_EVENT_PENDING:
        on_pending(reader, lesson, event);
        break;
    case BPOR_EVENT_FINISHED:
        reader->step[reader->current].finished |= bit(event->thread);
        break;
    case BPOR_EVENT_TIMED:
        reader->timed = event->enabled;
        break;
    case BPOR_EVENT_STATE:
        reader->state = (struct identity){event->value, event->site};
        break;
    case BPOR_EVENT_OFFER:
        reader->alternatives = (uint8_t)event->value;
        reader->alternative = (uint8_t)event->target;
        reader->source = (uint32_t)event->site;
        break;
    case BPOR_EVENT_ACCESSES:
        collect(reader, event);
        break;
    case BPOR_EVENT_FRAME:
        if (reader->frames < BPOR_MAX_FRAMES)
            reader->frame[reader->frames++] = event->site;
        break;
    default:
        break;
    }
}

bool reader_answer(struct reader *reader, const struct bpor_event *log, uint32_t events)
{
    reader->accesses = 0;
    for (uint32_t i = 0; i < events; i++) {
        if (log[i].type == BPOR_EVENT_STEP || log[i].type == BPOR_EVENT_ACCESSES)
            collect(reader, &log[i]);
        if (log[i].type == BPOR_EVENT_STEP)
            return true;
        if (log[i].type == BPOR_EVENT_PENDING)
            reader->accesses = 0;
    }
    return false;
}

uint64_t reader_learn(struct reader *reader, const struct lesson *lesson, const struct bpor_event *log, uint32_t events,
                      uint64_t enabled, uint64_t timed, bool ends_process)
{
    reader->current = 0;
    reader->steps = reader->timed = 0;
    reader->alternatives = reader->alternative = 0;
    reader->source = 0;
    reader->accesses = reader->frames = 0;
    reader->stopped = 0;
    reader->state = (struct identity){0};
    reader->pooled[0] = UINT32_MAX; /* no step yet */
    for (uint32_t i = 0; i < events && !lesson->tree->full && !reader->stopped; i++)
        on_event(reader, lesson, &log[i]);
    if (lesson->tree->full || reader->stopped)
        return reader->steps;
    struct told_step *last = &reader->step[reader->current];
    if (reader->pooled[reader->current] == UINT32_MAX) {
        if (!lesson->facts->begun) {
            identify(reader, lesson->tree);
            start(lesson, enabled, timed);
        }
        return 0;
    }
    last->ends_process = ends_process;
    complete(reader, lesson, last, enabled, timed, NULL);
    return reader->steps;
}
