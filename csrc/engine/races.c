/* Queries of race detection to the history. Each fills `found` with indices of steps and costs O(threads) per object. */
#include "engine/tree.h"

/* Does step `index` happen before (or is it) the step with this clock? */
bool clock_knows(const struct tree *tree, const clock_vector *clock, uint32_t index)
{
    return clock->steps[tree->step[index].thread] >= tree->step[index].local;
}

/* The threads whose pending operation joins one of these. */
uint64_t history_joining(const struct tree *tree, uint64_t ended)
{
    uint64_t joining = 0;
    if (ended)
        EACH_THREAD (thread, tree->live) {
            const struct announced *operation = history_operation(tree, thread);
            if (operation->kind == OP_JOIN && operation->target < THREADS && ended & bit(operation->target))
                joining |= bit(thread);
        }
    return joining;
}

/* What the end of the process depends on. */
unsigned history_last_of_others(const struct tree *tree, unsigned thread, uint32_t *found)
{
    unsigned count = 0;
    EACH_THREAD (other, tree->existing & ~bit(thread))
        if (tree->actor[other].last)
            found[count++] = tree->actor[other].last - 1;
    return count;
}

static void take_later(uint32_t *latest, uint64_t *mask, const uint32_t *index, uint64_t touched)
{
    EACH_THREAD (other, touched)
        if (!(*mask & bit(other)) || latest[other] < index[other])
            latest[other] = index[other];
    *mask |= touched;
}

/* For every other thread, its last step on which one of `thread` depends that touches these; or ends the process. */
unsigned history_dependents(const struct tree *tree, unsigned thread, const uint32_t *touch, uint32_t touches, bool ends,
                            uint32_t *found)
{
    uint32_t latest[THREADS];
    uint64_t mask = 0;
    unsigned count = 0;
    if (ends)
        return history_last_of_others(tree, thread, found);
    for (uint32_t i = 0; i < touches; i++)
        EACH_NEAR (tree, touched_cell(touch[i]), near) {
            const struct cell *cell = &tree->cell[near];
            take_later(latest, &mask, cell->writer, cell->writers);
            if (writes(touch[i]))
                take_later(latest, &mask, cell->reader, cell->readers);
        }
    EACH_THREAD (other, mask & ~bit(thread))
        found[count++] = latest[other] - 1;
    return count;
}

/* Likewise for its pending operation. */
unsigned history_last_dependents(const struct tree *tree, unsigned thread, uint32_t *found)
{
    const struct announced *operation = history_operation(tree, thread);
    if (operation == NULL)
        return 0;
    return history_dependents(tree, thread, &tree->touch[operation->first], operation->count,
                              bpor_properties(operation->kind) & ENDS, found);
}

static bool covered_by_another(const struct tree *tree, const uint32_t *found, unsigned count, uint32_t index)
{
    for (unsigned i = 0; i < count; i++)
        if (found[i] != index && clock_knows(tree, &tree->clock[found[i]], index))
            return true;
    return false;
}

/* Transitive reduction: without those that happen before the thread's last step or before another one found. In place. */
unsigned history_uncovered(const struct tree *tree, unsigned thread, uint32_t *found, unsigned count)
{
    const clock_vector *clock = actor_clock(tree, &tree->actor[thread]);
    uint32_t left[THREADS];
    unsigned lefts = 0, kept = 0;
    for (unsigned i = 0; i < count; i++)
        if (!clock_knows(tree, clock, found[i]))
            left[lefts++] = found[i];
    for (unsigned i = 0; i < lefts; i++)
        if (!covered_by_another(tree, left, lefts, left[i]))
            found[kept++] = left[i];
    return kept;
}
