/* Names: `method:NAME` and `var:NAME` speak of functions and variables, which only the controller knows. It is asked once for
 * every object and every call stack that an operation has. */
#include "engine/tree.h"

static bool looks_for(const struct tree *tree, unsigned kind)
{
    for (unsigned i = 0; i < tree->order.priorities; i++)
        if (tree->order.priority[i] == kind)
            return true;
    return false;
}

static uint32_t slot_of(const struct open *open, uint32_t kind, uint64_t id)
{
    uint32_t slot = (uint32_t)(bpor_mix(kind, id) >> 20) % NAME_SLOTS;
    while (open->name[slot].kind && (open->name[slot].kind != kind || open->name[slot].id != id))
        slot = (slot + 1) % NAME_SLOTS;
    return slot;
}

static bool is_told(struct tree *tree, uint32_t kind, uint64_t id)
{
    struct open *open = &tree->open;
    struct open_name *name = &open->name[slot_of(open, kind, id)];
    if (name->kind)
        return name->told;
    if (open->names >= NAME_SLOTS / 4 * 3) {
        tree_give_up(tree, "names");
        return true;
    }
    open->names++;
    *name = (struct open_name){.id = id, .kind = kind};
    return false;
}

bool names_are_known(struct tree *tree)
{
    bool known = true;
    if (looks_for(tree, BPOR_PRIORITY_VARIABLE))
        for (uint32_t i = 0; i < tree->cells; i++)
            known &= is_told(tree, BPOR_NAMED_OBJECT, tree->cell[i].object);
    if (looks_for(tree, BPOR_PRIORITY_METHOD))
        for (uint32_t i = 0; i < tree->operations; i++)
            known &= !tree->operation[i].stack || is_told(tree, BPOR_NAMED_STACK, tree->operation[i].stack);
    return known;
}

static bool has_mark(const struct tree *tree, uint32_t kind, uint64_t id, unsigned priority)
{
    return tree->open.name[slot_of(&tree->open, kind, id)].marks >> priority & 1;
}

/* Is an operation (its number + 1; 0: none) what the priority with this number looks for? */
bool names_operation(const struct tree *tree, uint32_t operation, unsigned priority)
{
    if (operation == 0)
        return false;
    const struct announced *announced = &tree->operation[operation - 1];
    if (tree->order.priority[priority] == BPOR_PRIORITY_METHOD)
        return has_mark(tree, BPOR_NAMED_STACK, announced->stack, priority);
    for (uint32_t i = 0; i < announced->count; i++) {
        const struct cell *cell = &tree->cell[touched_cell(tree->touch[announced->first + i])];
        if (has_mark(tree, BPOR_NAMED_OBJECT, cell->object, priority))
            return true;
    }
    return false;
}

const struct open_name *open_unnamed(const struct tree *tree, uint32_t *cursor)
{
    while (*cursor < NAME_SLOTS) {
        const struct open_name *name = &tree->open.name[(*cursor)++];
        if (name->kind && !name->told)
            return name;
    }
    return NULL;
}

bool open_has_name(const struct tree *tree, uint32_t kind, uint64_t id)
{
    return tree->open.name[slot_of(&tree->open, kind, id)].told;
}

void open_tell_name(struct tree *tree, uint32_t kind, uint64_t id, uint32_t marks)
{
    is_told(tree, kind, id);
    struct open_name *name = &tree->open.name[slot_of(&tree->open, kind, id)];
    if (name->kind) {
        name->marks = marks;
        name->told = true;
    }
}
