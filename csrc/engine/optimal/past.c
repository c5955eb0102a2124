/* Past: the steps of one execution by what they touch, so that those an operation depends on are found without looking at the
 * others.
 *
 * Invariant: the head of a cell describes exactly the steps on the stack; each visit saves the head as it was before. */
#include "engine/optimal/optimal.h"

/* The step at the top of the history. */
void past_push(struct optimal *optimal, const struct tree *tree)
{
    const struct pushed *step = &tree->step[tree->depth - 1];
    for (uint32_t i = 0; i < step->touches; i++) {
        uint32_t at = step->first_touch + i, touch = tree->touch[at];
        struct head *head = &optimal->head[touched_cell(touch)];
        optimal->visit[at] = (struct visit){
            .step = tree->depth - 1,
            .any = head->any,
            .write = head->write,
            .any_sum = head->any_sum,
            .write_sum = head->write_sum,
        };
        head->any = at + 1;
        head->any_sum += step->hash;
        if (writes(touch)) {
            head->write = at + 1;
            head->write_sum += step->hash;
        }
    }
}

/* That step is about to be popped. */
void past_pop(struct optimal *optimal, const struct tree *tree)
{
    const struct pushed *step = &tree->step[tree->depth - 1];
    for (uint32_t i = step->touches; i-- > 0;) {
        uint32_t at = step->first_touch + i;
        const struct visit *visit = &optimal->visit[at];
        optimal->head[touched_cell(tree->touch[at])] = (struct head){visit->any, visit->write, visit->any_sum, visit->write_sum};
    }
}

/* Where the list of a cell begins for somebody at `before`: after what that step itself did, if it did. */
static uint32_t beginning_of(const struct optimal *optimal, const struct tree *tree, uint32_t cell, bool written, uint32_t before)
{
    uint32_t at = written ? optimal->head[cell].any : optimal->head[cell].write;
    if (before < tree->depth) {
        const struct pushed *step = &tree->step[before];
        for (uint32_t i = 0; i < step->touches; i++)
            if (touched_cell(tree->touch[step->first_touch + i]) == cell) {
                const struct visit *visit = &optimal->visit[step->first_touch + i];
                return written ? visit->any : visit->write;
            }
    }
    while (at && optimal->visit[at - 1].step >= before)
        at = written ? optimal->visit[at - 1].any : optimal->visit[at - 1].write;
    return at;
}

void past_walk(struct optimal *optimal, struct tree *tree, struct past_walk *walk, uint32_t number, bool ends, uint32_t before)
{
    const struct footprint *footprint = &optimal->footprint[number];
    walk->optimal = optimal;
    walk->tree = tree;
    walk->before = before;
    walk->all = ends;
    walk->end = !ends && before == tree->depth && before && tree->step[before - 1].ends;
    walk->cursors = 0;
    for (uint32_t i = 0; !ends && i < footprint->count; i++) {
        uint32_t touch = optimal->footprint_touch[footprint->first + i];
        EACH_NEAR (tree, touched_cell(touch), near) {
            uint32_t at = beginning_of(optimal, tree, near, writes(touch), before);
            if (walk->cursors == MAX_CURSORS)
                tree_give_up(tree, "objects of one step");
            else if (at)
                walk->cursor[walk->cursors++] = at << 1 | !writes(touch);
        }
    }
}

static uint32_t step_of(const struct past_walk *walk, uint32_t cursor)
{
    return walk->optimal->visit[(cursor >> 1) - 1].step;
}

/* All cursors behind a step. */
static void pass(struct past_walk *walk, uint32_t step)
{
    for (uint32_t i = 0; i < walk->cursors;) {
        uint32_t cursor = walk->cursor[i];
        if (step_of(walk, cursor) < step) {
            i++;
            continue;
        }
        const struct visit *visit = &walk->optimal->visit[(cursor >> 1) - 1];
        uint32_t before = cursor & 1 ? visit->write : visit->any;
        if (before)
            walk->cursor[i] = before << 1 | (cursor & 1);
        else
            walk->cursor[i] = walk->cursor[--walk->cursors];
    }
}

uint32_t past_next(struct past_walk *walk)
{
    if (walk->all)
        return walk->before ? --walk->before : NO_INDEX;
    uint32_t found = NO_INDEX;
    if (walk->end)
        found = walk->before - 1;
    for (uint32_t i = 0; i < walk->cursors && !walk->end; i++)
        if (found == NO_INDEX || step_of(walk, walk->cursor[i]) > found)
            found = step_of(walk, walk->cursor[i]);
    walk->end = false;
    if (found != NO_INDEX)
        pass(walk, found);
    return found;
}

/* Those among whose steps there may be some. */
uint64_t past_threads(const struct optimal *optimal, const struct tree *tree, uint32_t number, bool ends)
{
    const struct footprint *footprint = &optimal->footprint[number];
    uint64_t threads = 0;
    if (ends || (tree->depth && tree->step[tree->depth - 1].ends))
        return tree->existing;
    for (uint32_t i = 0; i < footprint->count; i++) {
        uint32_t touch = optimal->footprint_touch[footprint->first + i];
        EACH_NEAR (tree, touched_cell(touch), near)
            threads |= tree->cell[near].writers | (writes(touch) ? tree->cell[near].readers : 0);
    }
    return threads;
}
