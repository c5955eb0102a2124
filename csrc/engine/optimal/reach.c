/* Decides from one execution whether a thread could have performed an operation in a state that the execution did not pass
 * through. The state is known by the steps in it that the operation depends on: whether it can run is a function of those
 * alone. */
#include "engine/optimal/optimal.h"

static unsigned kind_of(const struct tree *tree, uint32_t step)
{
    return tree->operation[tree->step[step].operation_before - 1].kind;
}

static bool fails_in_vain(const struct tree *tree, uint32_t step)
{
    unsigned kind = kind_of(tree, step);
    return tree->step[step].failed && (kind == OP_MUTEX_TRYLOCK || kind == OP_MUTEX_TIMEDLOCK);
}

static bool leaves_free(unsigned kind)
{
    return kind == OP_MUTEX_UNLOCK || kind == OP_COND_WAIT || kind == OP_MUTEX_INIT || kind == OP_MUTEX_DESTROY;
}

/* Steps of these kinds only give something back: leaving one out never enables a blocked thread. */
bool gives_back(unsigned kind)
{
    return kind == OP_MUTEX_UNLOCK || kind == OP_RWLOCK_UNLOCK || kind == OP_SPIN_UNLOCK || kind == OP_FILE_UNLOCK ||
           kind == OP_SEM_POST;
}

/* Operations of these kinds always do what they announce; any other operation that announces a write may turn out to have only
 * read. */
static bool is_certain(unsigned kind)
{
    static const uint8_t certain[OP_COUNT] = {
        [OP_READ] = 1,           [OP_WRITE] = 1,          [OP_RMW] = 1,           [OP_FENCE] = 1,         [OP_FREE] = 1,
        [OP_UNMAP] = 1,          [OP_SPAWN] = 1,          [OP_YIELD] = 1,         [OP_SLEEP] = 1,         [OP_PROCESS_END] = 1,
        [OP_MUTEX_LOCK] = 1,     [OP_MUTEX_UNLOCK] = 1,   [OP_COND_WAIT] = 1,     [OP_COND_WAKE] = 1,     [OP_COND_SIGNAL] = 1,
        [OP_COND_BROADCAST] = 1, [OP_SEM_WAIT] = 1,       [OP_SEM_POST] = 1,      [OP_RWLOCK_RDLOCK] = 1, [OP_RWLOCK_WRLOCK] = 1,
        [OP_RWLOCK_UNLOCK] = 1,  [OP_BARRIER_ARRIVE] = 1, [OP_BARRIER_LEAVE] = 1, [OP_SPIN_LOCK] = 1,     [OP_SPIN_UNLOCK] = 1,
    };
    return certain[kind];
}

bool may_touch_less(const struct tree *tree, const struct announced *operation)
{
    if (is_certain(operation->kind))
        return false;
    for (uint32_t i = 0; i < operation->count; i++)
        if (writes(tree->touch[operation->first + i]))
            return true;
    return false;
}

/* May there be a state of which only an execution can tell what this operation does there? */
bool is_asked_about(const struct tree *tree, const struct announced *operation)
{
    bool blocks = bpor_properties(operation->kind) & BLOCKS;
    return may_touch_less(tree, operation) || (blocks && operation->kind != OP_MUTEX_LOCK && operation->kind != OP_JOIN);
}

/* Has the thread that is joined ended without the steps that were dropped? */
static enum reach could_join(const struct optimal *optimal, const struct tree *tree, unsigned target,
                             const struct dropped *dropped)
{
    if (target >= THREADS || !tree->actor[target].exists)
        return RUNS;
    for (uint32_t i = 0; i < tree->depth; i++)
        if (optimal->node[i].finished & bit(target))
            return is_kept(tree, i, dropped) ? RUNS : WAITS;
    return WAITS;
}

static bool was_enabled(const struct optimal *optimal, uint32_t state, unsigned member)
{
    return optimal->node[state].enabled & bit(optimal->number[member]);
}

/* Can the second run where these steps were not made? */
enum reach could_run(struct optimal *optimal, const struct tree *tree, const struct second *second, const struct dropped *dropped)
{
    struct past_walk *walk = &optimal->walk[1];
    bool kept = false, waited = second->since <= dropped->first, locks = second->operation->kind == OP_MUTEX_LOCK;
    uint32_t step;
    if (second->operation->kind == OP_JOIN)
        return could_join(optimal, tree, second->operation->target, dropped);
    if (!(bpor_properties(second->operation->kind) & BLOCKS))
        return RUNS;
    past_walk(optimal, (struct tree *)tree, walk, second->footprint, second->ends, second->index);
    while ((step = past_next(walk)) != NO_INDEX) {
        if (step >= dropped->first && !is_kept(tree, step, dropped))
            continue;
        kept |= step >= dropped->first;
        if ((!kept && waited) || !locks)
            break;
        if (!fails_in_vain(tree, step))
            return leaves_free(kind_of(tree, step)) ? RUNS : WAITS;
    }
    if (!kept && waited)
        return was_enabled(optimal, dropped->first, second->thread) ? RUNS : WAITS;
    return locks ? RUNS : ONLY_AN_EXECUTION_TELLS;
}
