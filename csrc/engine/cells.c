/* Cells: the objects of a program as byte ranges. Two accesses share an object iff their ranges overlap; each distinct range is
 * one cell and knows the cells that overlap it. An access is recorded in its own cell only and looked up in all near ones. */
#include "engine/tree.h"
#include <string.h>

static uint32_t *slot_of(struct tree *tree, uint64_t object, uint32_t size)
{
    uint32_t slot = (uint32_t)bpor_mix(object, size) % CELL_SLOTS;
    for (; tree->cell_slot[slot]; slot = (slot + 1) % CELL_SLOTS) {
        if (tree->cell_slot[slot] > tree->cells) { /* this table is too large to be sealed */
            tree_fail(tree, "the table of objects was written over");
            tree->cell_slot[slot] = 1;
        }
        const struct cell *cell = &tree->cell[tree->cell_slot[slot] - 1];
        if (cell->object == object && cell->size == size)
            break;
    }
    return &tree->cell_slot[slot];
}

/* The first cell, in order, whose (object, size) is not below. */
static uint32_t position(const struct tree *tree, uint64_t object, uint32_t size)
{
    uint32_t low = 0, high = tree->cells;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        const struct cell *cell = &tree->cell[tree->cell_order[middle]];
        if (cell->object < object || (cell->object == object && cell->size < size))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void add_near(struct tree *tree, uint32_t cell, uint32_t other)
{
    if (tree->nears + 1 >= MAX_NEAR) {
        tree_give_up(tree, "overlapping objects");
        return;
    }
    tree->near[++tree->nears] = (struct near){other, tree->cell[cell].near};
    tree->cell[cell].near = tree->nears;
}

static void meet_neighbours(struct tree *tree, uint32_t number)
{
    const struct cell *cell = &tree->cell[number];
    uint64_t from = cell->object >= tree->widest ? cell->object - tree->widest + 1 : 0;
    for (uint32_t i = position(tree, from, 0); i < tree->cells; i++) {
        uint32_t other = tree->cell_order[i];
        if (tree->cell[other].object >= cell->object + cell->size)
            break;
        if (tree->cell[other].object + tree->cell[other].size > cell->object) {
            add_near(tree, number, other);
            add_near(tree, other, number);
        }
    }
}

static uint32_t new_cell(struct tree *tree, uint64_t object, uint32_t size)
{
    uint32_t number = tree->cells, *slot = slot_of(tree, object, size);
    struct cell *cell = &tree->cell[number];
    memset(cell, 0, sizeof *cell);
    cell->object = object;
    cell->size = size;
    meet_neighbours(tree, number);
    uint32_t at = position(tree, object, size);
    memmove(&tree->cell_order[at + 1], &tree->cell_order[at], (tree->cells - at) * sizeof tree->cell_order[0]);
    tree->cell_order[at] = number;
    *slot = ++tree->cells;
    if (tree->widest < size)
        tree->widest = size;
    return number;
}

static uint32_t find_cell(struct tree *tree, uint64_t object, uint32_t size)
{
    uint32_t known = *slot_of(tree, object, size);
    if (known)
        return known - 1;
    if (tree->cells == MAX_CELLS - 1) {
        tree_give_up(tree, "objects");
        return 0;
    }
    return new_cell(tree, object, size);
}

/* Puts the touches of a footprint on their stack: each cell once, in the order of the footprint; a write covers a read of the
 * same range. Answers how many. */
unsigned cells_resolve(struct tree *tree, const struct bpor_access *access, unsigned count, uint32_t *first)
{
    *first = tree->touches;
    if (tree->touches + count > MAX_TOUCHES) {
        tree_give_up(tree, "accesses");
        return 0;
    }
    for (unsigned i = 0; i < count; i++) {
        uint32_t cell = find_cell(tree, access[i].object, access[i].size), at = *first;
        while (at < tree->touches && touched_cell(tree->touch[at]) != cell)
            at++;
        if (at == tree->touches)
            tree->touch[tree->touches++] = cell << 1;
        tree->touch[at] |= access[i].write != 0;
    }
    return tree->touches - *first;
}
