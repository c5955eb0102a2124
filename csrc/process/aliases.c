/* A place is named by its address (memory/places.c), so accesses of one place through two addresses would look independent, and
 * the search would leave out orders of them. Mappings that are private, or that nobody can write through, share nothing. */
#include "process/aliases.h"
#include "process/maps.h"
#include "runtime/runtime.h"

static bool aliased;

static bool is_candidate(const struct map *map)
{
    return map->shared && map->inode != 0 && !map->ours && map->path != MAP_OF_OTHER;
}

static bool are_one_place(const struct map *one, const struct map *other)
{
    if (one->inode != other->inode || one->device != other->device || !(one->writable || other->writable))
        return false;
    return one->offset < other->offset + (other->end - other->start) && other->offset < one->offset + (one->end - one->start);
}

static bool any_aliases(const struct maps *maps)
{
    for (unsigned i = 0; i < maps->count; i++)
        for (unsigned k = i + 1; is_candidate(&maps->map[i]) && k < maps->count; k++)
            if (is_candidate(&maps->map[k]) && are_one_place(&maps->map[i], &maps->map[k]))
                return true;
    return false;
}

void bpor_aliases_look(void)
{
    const struct maps *maps = bpor_maps_now();
    aliased = maps && any_aliases(maps);
    if (aliased && bpor->threads > 1)
        bpor_aliases_refuse();
}

void bpor_aliases_refuse(void)
{
    if (aliased)
        bpor_refuse("mmap",
                    "the same memory is mapped at two addresses, and what is done at one is not seen at the other; map it once");
}
