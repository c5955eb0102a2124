/* History: the steps on the stack with clocks, hashes and the tables race detection asks, each change undone when its step is
 * popped.
 *
 * Costs per step: O(threads) for a join of clocks, O(objects) for the rest; nothing rescans the stack. Happens-before: program
 * order, conflicting executed footprints, creation -> first step, last step -> join. Equivalent executions have equal sums of
 * event hashes, because an event's hash covers its whole causal past and canonical names only. */
#include "engine/tree.h"
#include "protocol/join.h"
#include <string.h>

static const clock_vector nothing_known;

/* The step that gives a thread its past: its last one, or the one that created it. Index + 1; 0: none. */
static uint32_t past_of(const struct actor *actor)
{
    return actor->last ? actor->last : actor->created;
}

const clock_vector *actor_clock(const struct tree *tree, const struct actor *actor)
{
    uint32_t past = actor->exists ? past_of(actor) : 0;
    return past ? &tree->clock[past - 1] : &nothing_known;
}

uint64_t actor_hash(const struct tree *tree, const struct actor *actor)
{
    uint32_t past = past_of(actor);
    return past ? tree->step[past - 1].hash : 0;
}

/* ---- push ---- */

static uint64_t racers(const struct tree *tree, const struct pushed *step, bool ends)
{
    uint64_t mask = tree->enders;
    if (ends)
        return tree->live;
    for (uint32_t i = 0; i < step->touches; i++) {
        uint32_t touch = tree->touch[step->first_touch + i];
        EACH_NEAR (tree, touched_cell(touch), near)
            mask |= writes(touch) ? tree->cell[near].pending_access : tree->cell[near].pending_write;
    }
    return mask;
}

static void join(const struct tree *tree, clock_vector *into, const clock_vector *other)
{
    bpor_join(into->steps, other->steps, tree->width);
}

/* The thread whose end this step waited for, or NULL. */
static const struct actor *joined(const struct tree *tree, const struct announced *operation, const struct told_step *told)
{
    if (operation->kind != OP_JOIN || told->flags & (BPOR_FLAG_FAILED | BPOR_FLAG_TIMEOUT) || operation->target >= THREADS)
        return NULL;
    const struct actor *target = &tree->actor[operation->target];
    return target->exists ? target : NULL;
}

/* Of a step of `thread` at the top of the history that touches these; `reads`: it only reads them. */
void history_clock(const struct tree *tree, unsigned thread, const uint32_t *touches, uint32_t count, bool reads, bool ends,
                   const struct actor *target, clock_vector *clock)
{
    const struct actor *mover = &tree->actor[thread];
    *clock = *actor_clock(tree, mover);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t touch = touches[i];
        EACH_NEAR (tree, touched_cell(touch), near) {
            const struct cell *cell = &tree->cell[near];
            if (cell->last_write && !clock_knows(tree, clock, cell->last_write - 1))
                join(tree, clock, &tree->clock[cell->last_write - 1]);
            if (writes(touch) && !reads && cell->has_reads)
                join(tree, clock, &cell->reads_clock);
        }
    }
    if (ends)
        EACH_THREAD (other, tree->existing)
            join(tree, clock, actor_clock(tree, &tree->actor[other]));
    else if (target)
        join(tree, clock, actor_clock(tree, target));
    clock->steps[thread] = mover->steps + 1;
}

/* An event of `thread` at the top of the history that touches these. `reads`: of what it writes, those who read it are its past.
 */
static uint64_t event_hash(const struct tree *tree, unsigned thread, const uint32_t *touches, uint32_t count, unsigned kind,
                           bool ends, const struct actor *target, bool reads)
{
    const struct actor *mover = &tree->actor[thread];
    uint64_t hash = bpor_mix(0, actor_hash(tree, mover));
    hash = bpor_mix(bpor_mix(bpor_mix(hash, mover->name), mover->steps), kind);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t touch = touches[i];
        uint64_t written = 0, read = 0;
        EACH_NEAR (tree, touched_cell(touch), near) {
            written += tree->cell[near].write_hash;
            read += tree->cell[near].reads_hash;
        }
        hash = bpor_mix(bpor_mix(hash, tree->cell[touched_cell(touch)].object), written);
        hash = bpor_mix(hash, reads && writes(touch) ? read : UINT64_MAX);
    }
    if (ends)
        hash = bpor_mix(hash, tree->depth ? tree->step[tree->depth - 1].trace_hash : 0);
    else if (target)
        hash = bpor_mix(hash, actor_hash(tree, target));
    return hash;
}

static void save_cell(struct tree *tree, uint32_t touch, unsigned thread)
{
    const struct cell *cell = &tree->cell[touched_cell(touch)];
    struct saved_cell *saved = &tree->saved_cell[tree->saved_cells++];
    *saved = (struct saved_cell){
        .cell = touched_cell(touch),
        .write = writes(touch),
        .has_reads = cell->has_reads,
        .index_before = writes(touch) ? cell->writer[thread] : cell->reader[thread],
        .last_write = cell->last_write,
        .held = cell->held[thread],
        .holding = cell->holding,
        .write_hash = cell->write_hash,
        .reads_hash = cell->reads_hash,
    };
    if (cell->has_reads) {
        tree->saved_clock[tree->saved_clocks++] = cell->reads_clock;
        saved->clock = tree->saved_clocks;
    }
}

static void record(struct tree *tree, const struct pushed *step, const clock_vector *clock)
{
    unsigned thread = step->thread;
    for (uint32_t i = 0; i < step->touches; i++) {
        uint32_t touch = tree->touch[step->first_touch + i];
        struct cell *cell = &tree->cell[touched_cell(touch)];
        save_cell(tree, touch, thread);
        if (writes(touch)) {
            cell->writer[thread] = cell->last_write = tree->depth + 1;
            cell->writers |= bit(thread);
            cell->write_hash = step->hash;
            cell->reads_hash = 0;
            cell->has_reads = false;
        } else {
            cell->reader[thread] = tree->depth + 1;
            cell->readers |= bit(thread);
            cell->reads_hash += step->hash;
            if (cell->has_reads)
                join(tree, &cell->reads_clock, clock);
            else
                cell->reads_clock = *clock;
            cell->has_reads = true;
        }
    }
}

static bool has_room(struct tree *tree, const struct told_step *told)
{
    if (tree->depth + 1 >= MAX_DEPTH)
        tree_give_up(tree, "steps");
    else if (tree->saved_cells + told->accesses > MAX_SAVED_CELLS || tree->saved_clocks + told->accesses > MAX_SAVED_CLOCKS)
        tree_give_up(tree, "accesses");
    return !tree->full;
}

static void announce_all(struct tree *tree, struct pushed *step, const struct told_step *told)
{
    for (unsigned i = 0; i < told->announced; i++) {
        if (told->operation[i].thread != step->thread)
            actor_create_by(tree, step, told->operation[i].thread);
        actor_announce(tree, &told->operation[i]);
    }
    EACH_THREAD (ended, told->finished & ~tree->existing)
        actor_create_by(tree, step, ended);
}

/* Which of its alternatives a step took is part of the event; what an old read saw happens before it. */
static void take_alternative(struct tree *tree, struct pushed *step, const struct told_step *told)
{
    step->hash = bpor_mix(step->hash, told->alternative);
    if (told->source && told->source <= tree->depth) {
        step->hash = bpor_mix(step->hash, tree->step[told->source - 1].hash);
        join(tree, &tree->clock[tree->depth], &tree->clock[told->source - 1]);
    }
}

/* Records a step. Answers the mask of the threads whose pending operation depends on it. */
uint64_t history_push(struct tree *tree, const struct told_step *told)
{
    struct actor *mover = &tree->actor[told->thread];
    struct pushed *step = &tree->step[tree->depth];
    const struct announced *operation = history_operation(tree, told->thread);
    if (!has_room(tree, told))
        return 0;
    *step = (struct pushed){
        .thread = told->thread,
        .yields = told->flags & BPOR_FLAG_YIELD,
        .inferred = told->flags & BPOR_FLAG_INFERRED,
        .cuts = told->flags & BPOR_FLAG_CUT,
        .timed_out = told->flags & BPOR_FLAG_TIMEOUT,
        .failed = told->flags & BPOR_FLAG_FAILED,
        .circled_before = mover->circles,
        .local = mover->steps + 1,
        .last_before = mover->last,
        .children_before = mover->children,
        .operation_before = mover->operation,
        .operations_before = tree->operations,
        .touches_before = tree->touches,
        .saved_before = tree->saved_cells,
        .clocks_before = tree->saved_clocks,
        .step_hash = told->hash,
    };
    bool ends = step->ends = told->ends_process || bpor_properties(operation->kind) & ENDS;
    step->touches = cells_resolve(tree, told->access, told->accesses, &step->first_touch);
    actor_retract(tree, told->thread);
    uint64_t racing = racers(tree, step, ends);
    const struct actor *target = ends ? NULL : joined(tree, operation, told);
    if (tree->causal)
        causal_note(tree, step, operation, told->flags & BPOR_FLAG_CUT, ends);
    history_clock(tree, told->thread, &tree->touch[step->first_touch], step->touches, false, ends, target,
                  &tree->clock[tree->depth]);
    step->hash =
        event_hash(tree, told->thread, &tree->touch[step->first_touch], step->touches, operation->kind, ends, target, true);
    if (told->alternative)
        take_alternative(tree, step, told);
    step->trace_hash = (tree->depth ? tree->step[tree->depth - 1].trace_hash : 0) + step->hash;
    record(tree, step, &tree->clock[tree->depth]);
    if (tree->knows)
        locks_note(tree, step, operation->kind);
    tree->depth++;
    mover->last = tree->depth;
    mover->steps++;
    mover->yields += step->yields;
    if (step->yields)
        mover->circles = told->flags & BPOR_FLAG_CIRCLE;
    if (tree->jumps)
        locks_push(tree, tree->depth - 1, operation->kind, &tree->saved_cell[step->saved_before]);
    announce_all(tree, step, told);
    return racing;
}

/* ---- what known.c asks ---- */

/* These announce that they write, and only look if they fail. Who has looked before makes no difference to them. */
static bool may_only_look(unsigned kind)
{
    return kind == OP_MUTEX_TRYLOCK || kind == OP_SPIN_TRYLOCK || kind == OP_CAS;
}

/* The event that the pending operation of a thread would be, if it does just what it announces; `looks`: if it changes nothing,
 * though it announces that, and then it does not matter who has looked before. */
uint64_t history_key(const struct tree *tree, unsigned thread, bool looks)
{
    const struct announced *operation = history_operation(tree, thread);
    bool joins = operation->kind == OP_JOIN && operation->target < THREADS && tree->actor[operation->target].exists;
    uint64_t hash = event_hash(tree, thread, &tree->touch[operation->first], operation->count, operation->kind,
                               bpor_properties(operation->kind) & ENDS, joins ? &tree->actor[operation->target] : NULL,
                               !looks && !may_only_look(operation->kind));
    if (looks)
        hash = bpor_mix(hash, 1);
    return hash ? hash : 1;
}

/* ---- pop ---- */

static void restore_cell(struct tree *tree, const struct saved_cell *saved, unsigned thread)
{
    struct cell *cell = &tree->cell[saved->cell];
    if (saved->write) {
        cell->writer[thread] = saved->index_before;
        if (saved->index_before == 0)
            cell->writers &= ~bit(thread);
    } else {
        cell->reader[thread] = saved->index_before;
        if (saved->index_before == 0)
            cell->readers &= ~bit(thread);
    }
    cell->last_write = saved->last_write;
    cell->write_hash = saved->write_hash;
    cell->reads_hash = saved->reads_hash;
    cell->has_reads = saved->has_reads;
    cell->held[thread] = saved->held;
    cell->holding = saved->holding;
    if (saved->clock)
        cell->reads_clock = tree->saved_clock[saved->clock - 1];
}

void history_pop(struct tree *tree)
{
    const struct pushed *step = &tree->step[--tree->depth];
    unsigned thread = step->thread;
    struct actor *mover = &tree->actor[thread];
    EACH_THREAD (child, step->created) {
        if (tree->actor[child].operation)
            actor_retract(tree, child);
        tree->actor[child].exists = false;
        tree->existing &= ~bit(child);
    }
    if (mover->operation)
        actor_retract(tree, thread);
    mover->last = step->last_before;
    mover->steps--;
    mover->yields -= step->yields;
    mover->circles = step->circled_before;
    mover->children = step->children_before;
    actor_publish(tree, thread, step->operation_before);
    while (tree->saved_cells > step->saved_before)
        restore_cell(tree, &tree->saved_cell[--tree->saved_cells], thread);
    tree->operations = step->operations_before;
    tree->touches = step->touches_before;
    tree->saved_clocks = step->clocks_before;
}
