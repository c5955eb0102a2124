/* What the controller is asked for while best-first search waits: search.names. */
#include "beside/names.h"
#include "beside/place.h"

static void add(uint32_t kind, uint64_t id, const uint64_t *frame, unsigned frames)
{
    struct bpor_names *names = &search->names;
    const unsigned room = sizeof names->name / sizeof names->name[0];
    for (uint32_t i = 0; i < names->count && i < room; i++)
        if (names->name[i].id == id && names->name[i].kind == kind)
            return;
    if (names->count >= room)
        return; /* it has none, then: that changes the order of the search and nothing else */
    struct bpor_name *name = &names->name[names->count++];
    *name = (struct bpor_name){.id = id, .kind = kind, .frames = frames};
    for (unsigned i = 0; i < frames; i++)
        name->frame[i] = frame[i];
}

void names_called(uint64_t stack, const uint64_t *frame, unsigned frames)
{
    if (!open_has_name(&place(search->answer.tree)->tree, BPOR_NAMED_STACK, stack))
        add(BPOR_NAMED_STACK, stack, frame, frames);
}

void names_ask(struct tree *tree)
{
    const struct open_name *name;
    for (uint32_t cursor = 0; (name = open_unnamed(tree, &cursor));)
        add(name->kind, name->id, NULL, 0);
}

/* Whatever the controller was not asked for, there being too much of it, has no name. */
void names_take(struct tree *tree)
{
    struct bpor_names *names = &search->names;
    const struct open_name *left;
    for (uint32_t i = 0; i < names->count; i++)
        open_tell_name(tree, names->name[i].kind, names->name[i].id, names->name[i].marks);
    for (uint32_t cursor = 0; (left = open_unnamed(tree, &cursor));)
        open_tell_name(tree, left->kind, left->id, 0);
    names->count = names->answered = 0;
}
