/* Actors: the threads at the top of the stack, and what each of them will do next. */
#include "engine/tree.h"

const struct announced *history_operation(const struct tree *tree, unsigned thread)
{
    uint32_t operation = tree->actor[thread].operation;
    return operation ? &tree->operation[operation - 1] : NULL;
}

void actor_publish(struct tree *tree, unsigned thread, uint32_t number)
{
    const struct announced *operation = &tree->operation[number - 1];
    tree->actor[thread].operation = number;
    tree->live |= bit(thread);
    if (bpor_properties(operation->kind) & ENDS)
        tree->enders |= bit(thread);
    if (operation->timed)
        tree->waits_timed |= bit(thread);
    for (uint32_t i = 0; i < operation->count; i++) {
        uint32_t touch = tree->touch[operation->first + i];
        struct cell *cell = &tree->cell[touched_cell(touch)];
        cell->pending_access |= bit(thread);
        if (writes(touch))
            cell->pending_write |= bit(thread);
    }
}

void actor_retract(struct tree *tree, unsigned thread)
{
    const struct announced *operation = history_operation(tree, thread);
    for (uint32_t i = 0; i < operation->count; i++) {
        struct cell *cell = &tree->cell[touched_cell(tree->touch[operation->first + i])];
        cell->pending_access &= ~bit(thread);
        cell->pending_write &= ~bit(thread);
    }
    tree->live &= ~bit(thread);
    tree->enders &= ~bit(thread);
    tree->waits_timed &= ~bit(thread);
    tree->actor[thread].operation = 0;
}

void actor_announce(struct tree *tree, const struct told_operation *told)
{
    if (tree->operations == MAX_OPERATIONS) {
        tree_give_up(tree, "announced operations");
        return;
    }
    struct announced *operation = &tree->operation[tree->operations++];
    operation->kind = told->kind;
    operation->order = told->order;
    operation->timed = told->timed;
    operation->target = told->target;
    operation->site = told->site;
    operation->stack = told->stack;
    operation->count = cells_resolve(tree, told->access, told->accesses, &operation->first);
    if (tree->knows)
        locks_announce(tree, operation);
    actor_publish(tree, told->thread, tree->operations);
}

/* The stack has more threads than ever before. Their entries are zero, unless the program has overwritten them (seal.c). */
static void widen(struct tree *tree, unsigned thread)
{
    for (; tree->width <= thread; tree->width++) {
        for (uint32_t i = 0; i < tree->depth; i++)
            tree->clock[i].steps[tree->width] = 0;
        for (uint32_t i = 0; i < tree->saved_clocks; i++)
            tree->saved_clock[i].steps[tree->width] = 0;
        for (uint32_t i = 0; i < tree->cells; i++) {
            struct cell *cell = &tree->cell[i];
            cell->writer[tree->width] = cell->reader[tree->width] = cell->held[tree->width] = 0;
            cell->reads_clock.steps[tree->width] = 0;
        }
    }
}

static void create(struct tree *tree, unsigned thread, uint64_t name, uint32_t created)
{
    widen(tree, thread);
    tree->actor[thread] = (struct actor){.exists = true, .name = name, .created = created};
    tree->existing |= bit(thread);
}

void actor_create_by(struct tree *tree, struct pushed *step, unsigned thread)
{
    struct actor *creator = &tree->actor[step->thread];
    create(tree, thread, bpor_mix(bpor_mix(0, creator->name), creator->children++), creator->last);
    tree->actor[thread].yields = creator->yields; /* erratum E30 */
    step->created |= bit(thread);
}

/* A thread of the initial state. */
void history_begin(struct tree *tree, const struct told_operation *operation)
{
    create(tree, operation->thread, bpor_mix(bpor_mix(0, UINT64_MAX), operation->thread), 0);
    actor_announce(tree, operation);
}
