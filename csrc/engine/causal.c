/* Bounds on an event's causal past, and why they need no points but those of unbounded search: bpor/search/bounds/causal.py.
 *
 * A step is measured before it runs, by what its thread announces; a try may turn out to be a read, and counts as one until then.
 */
#include "engine/tree.h"

/* A step of `thread` at the top of the history. */
struct move {
    unsigned thread;
    const struct announced *operation;
    const uint32_t *touch;
    uint32_t count;
    bool ends;
    bool reads; /* whatever it touches */
};

static uint32_t past_of(const struct actor *actor)
{
    return actor->last ? actor->last : actor->created;
}

static const struct actor *joined(const struct tree *tree, const struct move *move)
{
    const struct announced *operation = move->operation;
    if (move->ends || operation->kind != OP_JOIN || operation->target >= THREADS || !tree->actor[operation->target].exists)
        return NULL;
    return &tree->actor[operation->target];
}

static uint32_t depth_of(const struct tree *tree, const struct move *move)
{
    uint32_t sum = 0;
    clock_vector clock;
    history_clock(tree, move->thread, move->touch, move->count, move->reads, move->ends, joined(tree, move), &clock);
    for (uint32_t i = 0; i < tree->width; i++)
        sum += clock.steps[i];
    return sum;
}

/* Was the thread of the move left for certain, while it could go on, so that step `index` came in between? */
static bool preempted(const struct tree *tree, const struct move *move, uint32_t index)
{
    const struct actor *mover = &tree->actor[move->thread];
    if (!mover->last || bpor_properties(move->operation->kind) & BLOCKS)
        return false;
    return tree->clock[index].steps[move->thread] >= tree->step[mover->last - 1].since;
}

struct sums {
    uint32_t switches;
    uint32_t preemptions;
};

/* The longest chains that come by step `index`, + 1; 0: there is no step. */
static void come_by(const struct tree *tree, const struct move *move, uint32_t index, struct sums *most)
{
    if (index == 0)
        return;
    const struct pushed *step = &tree->step[index - 1];
    bool changes = step->thread != move->thread;
    uint32_t switches = step->switches + changes;
    uint32_t preemptions = step->preemptions + (changes && preempted(tree, move, index - 1));
    most->switches = switches > most->switches ? switches : most->switches;
    most->preemptions = preemptions > most->preemptions ? preemptions : most->preemptions;
}

static struct sums chains_of(const struct tree *tree, const struct move *move)
{
    struct sums most = {0};
    const struct actor *target = joined(tree, move);
    come_by(tree, move, past_of(&tree->actor[move->thread]), &most);
    for (uint32_t i = 0; i < move->count; i++) {
        EACH_NEAR (tree, touched_cell(move->touch[i]), near) {
            const struct cell *cell = &tree->cell[near];
            come_by(tree, move, cell->last_write, &most);
            if (writes(move->touch[i]) && !move->reads)
                EACH_THREAD (other, cell->readers)
                    come_by(tree, move, cell->reader[other], &most);
        }
    }
    if (move->ends)
        EACH_THREAD (other, tree->existing)
            come_by(tree, move, tree->actor[other].last, &most);
    else if (target)
        come_by(tree, move, past_of(target), &most);
    return most;
}

static bool exceeds(const struct tree *tree, const struct move *move, struct sums sums)
{
    const struct bpor_tree_order *order = &tree->order;
    if (sums.switches > order->local_context_bound || sums.preemptions > order->local_preemption_bound)
        return true;
    return order->local_depth_bound != BPOR_UNBOUNDED && depth_of(tree, move) > order->local_depth_bound;
}

static bool is_try(unsigned kind)
{
    return kind == OP_CAS || kind == OP_MUTEX_TRYLOCK || kind == OP_MUTEX_TIMEDLOCK || kind == OP_SEM_TRYWAIT ||
           kind == OP_SEM_TIMEDWAIT;
}

/* Of a step that is about to be put on the history: its touches are known. */
void causal_note(struct tree *tree, struct pushed *step, const struct announced *operation, bool cuts, bool ends)
{
    struct move move = {step->thread, operation, &tree->touch[step->first_touch], step->touches, ends, false};
    struct sums sums = chains_of(tree, &move);
    const struct actor *mover = &tree->actor[step->thread];
    step->switches = sums.switches;
    step->preemptions = sums.preemptions;
    step->since = mover->last ? tree->step[mover->last - 1].since : 1;
    if (cuts)
        step->since = step->local + 1;
    else if (bpor_properties(operation->kind) & BLOCKS)
        step->since = step->local;
    step->beyond = exceeds(tree, &move, sums);
}

/* What a thread will do next. */
bool causal_within(const struct tree *tree, unsigned thread)
{
    const struct announced *operation = history_operation(tree, thread);
    struct move move = {thread,
                        operation,
                        &tree->touch[operation->first],
                        operation->count,
                        bpor_properties(operation->kind) & ENDS,
                        is_try(operation->kind)};
    return !exceeds(tree, &move, chains_of(tree, &move));
}
