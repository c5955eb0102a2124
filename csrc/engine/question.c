/* Question: a hash of everything that decides whether a pending operation is enabled. Equal questions have equal answers, so the
 * table of known steps stores the answers, and the engine need not know what an operation waits for. */
#include "engine/question.h"

/* Of a mutex: whether it is free, the thread's own or another's; of other objects: who changed them. */
static uint64_t seen_at(const struct view *view, uint32_t number, unsigned thread)
{
    const struct cell *cell = &view->tree->cell[number];
    uint64_t hash = cell->object;
    if (cell->is_lock && !cell->near) {
        struct holding holding = view->sight(view, number).holding;
        bool own = holding.holder == thread + 1;
        return bpor_mix(bpor_mix(hash, holding.changed), own ? 2 + holding.holds : holding.holder != 0);
    }
    EACH_NEAR (view->tree, number, near) {
        struct sight sight = view->sight(view, near);
        hash = bpor_mix(bpor_mix(hash, sight.written), sight.read);
    }
    return hash;
}

/* Who has ended, whatever their numbers are. */
static uint64_t gone(const struct view *view)
{
    uint64_t names = 0;
    EACH_THREAD (thread, view->tree->existing)
        names += view->ended(view, thread) ? bpor_mix(view->tree->actor[thread].name, 1) : 0;
    return names;
}

/* Most kinds of operations are always enabled. The end of a region waits for the ends of other threads and touches nothing. For
 * locking a mutex and for joining a thread it does not matter which thread asks, nor what it did before (errata E43, E44). */
uint64_t question(const struct view *view, unsigned thread, const struct announced *operation)
{
    const struct tree *tree = view->tree;
    bool locks = operation->kind == OP_MUTEX_LOCK && operation->count == 1;
    if (!(bpor_properties(operation->kind) & BLOCKS))
        return bpor_mix(operation->kind, 1) | 2;
    if (operation->kind == OP_JOIN && operation->target < THREADS && tree->actor[operation->target].exists)
        return bpor_mix(operation->kind, view->ended(view, operation->target)) | 2;
    if (operation->kind == OP_REGION_END)
        return bpor_mix(operation->kind, gone(view)) | 2;
    uint64_t hash = operation->kind;
    if (!locks)
        hash = bpor_mix(bpor_mix(hash, tree->actor[thread].name), view->past(view, thread));
    for (uint32_t i = 0; i < operation->count; i++)
        hash = bpor_mix(hash, seen_at(view, touched_cell(tree->touch[operation->first + i]), thread));
    return hash < 2 ? 2 : hash;
}

/* ---- at the top of the history ---- */

static struct sight sight_at_top(const struct view *view, uint32_t cell)
{
    const struct cell *seen = &view->tree->cell[cell];
    return (struct sight){seen->write_hash, seen->reads_hash, seen->holding};
}

static uint64_t past_at_top(const struct view *view, unsigned thread)
{
    return actor_hash(view->tree, &view->tree->actor[thread]);
}

static bool ended_at_top(const struct view *view, unsigned thread)
{
    return view->tree->actor[thread].operation == 0;
}

uint64_t history_question(const struct tree *tree, unsigned thread)
{
    struct view top = {tree, NULL, sight_at_top, past_at_top, ended_at_top};
    return question(&top, thread, history_operation(tree, thread));
}
