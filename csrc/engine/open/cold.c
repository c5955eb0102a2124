/* Moves states to disk. When there are too many states in memory, those that the best choices need stay, and so do those on the
 * current path. The others form whole subtrees whose choices will not be taken soon; such a subtree is called a bundle. A bundle
 * is attached to a state that stays in memory, as a choice whose priority is that of the best choice inside it. So the order of
 * the search does not change, and a bundle can later become part of another one. (Coons 2013, section 3.4, proposes this for
 * GAMBIT: nodes of the fringe are not read until they are executed.) */
#include "engine/tree.h"
#include <string.h>

enum { LARGEST_PART = 16 /* of the room, that a bundle may take: it comes back as a whole */, FURTHER_PART = 8 };

uint32_t cold_room(const struct tree *tree)
{
    uint32_t limit = tree->order.match_limit;
    if (limit == 0 || limit > MAX_ROOM)
        return MAX_ROOM;
    return limit < LEAST_ROOM ? LEAST_ROOM : limit;
}

bool cold_is_crowded(const struct open *open)
{
    return open->alive >= open->crowded_at || open->strips_alive / PER_NODE >= open->crowded_at ||
           open->choices / PER_NODE >= open->crowded_at;
}

/* ---- who stays ---- */

static void stay_on_the_way(struct tree *tree)
{
    for (uint32_t i = 0; i < tree->frames; i++)
        tree->open.cold.stays[tree->open.way[i]] = true;
}

/* With what the best choices need. */
static void stay_for_the_best(struct tree *tree)
{
    struct open *open = &tree->open;
    uint32_t room = cold_room(tree), states = 0, pieces = 0;
    for (uint32_t i = 0; i < open->choices && i < PER_NODE * room / 2; i++) {
        if (states >= room / 2 || pieces / PER_NODE >= room / 2)
            break;
        for (uint32_t at = open->choice[i].node; at && !open->cold.stays[at]; at = open->node[at].parent) {
            open->cold.stays[at] = true;
            states++;
            pieces += strip_pieces(open, open->node[at].strip);
        }
    }
}

/* Children before their parents. */
static uint32_t order_states(struct open *open)
{
    struct cold *cold = &open->cold;
    uint32_t count = 0;
    memset(cold->inside, 0, (open->nodes + 1) * sizeof cold->inside[0]);
    for (uint32_t number = 1; number <= open->nodes; number++)
        if (open->node[number].used)
            cold->inside[open->node[number].parent]++;
    for (uint32_t number = 1; number <= open->nodes; number++)
        if (open->node[number].used && cold->inside[number] == 0)
            cold->order[count++] = number;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t parent = open->node[cold->order[i]].parent;
        if (parent && --cold->inside[parent] == 0)
            cold->order[count++] = parent;
    }
    return count;
}

/* A subtree that is too large goes in parts: its first state stays. */
static void measure(struct tree *tree, uint32_t count)
{
    struct open *open = &tree->open;
    struct cold *cold = &open->cold;
    uint32_t largest = cold_room(tree) / LARGEST_PART;
    memset(cold->size, 0, (open->nodes + 1) * sizeof cold->size[0]);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = cold->order[i], parent = open->node[number].parent;
        cold->stays[number] |= ++cold->size[number] > largest;
        if (cold->stays[number])
            cold->stays[parent] = true;
        else
            cold->size[parent] += cold->size[number];
    }
}

/* ---- bundles ---- */

static void gather_states(struct open *open, uint32_t count)
{
    struct cold *cold = &open->cold;
    while (count-- > 0) {
        uint32_t number = cold->order[count], parent = open->node[number].parent;
        cold->next[number] = cold->first_choice[number] = cold->last_choice[number] = 0;
        if (cold->stays[number]) {
            cold->bundle[number] = 0;
            continue;
        }
        uint32_t first = cold->stays[parent] ? number : cold->bundle[parent];
        cold->bundle[number] = first;
        if (first != number)
            cold->next[cold->last[first]] = number;
        cold->last[first] = number;
    }
}

/* Bundles in the order of their best choices, in `order`: how many there are. */
static uint32_t gather_choices(struct open *open)
{
    struct cold *cold = &open->cold;
    uint32_t count = 0;
    for (uint32_t i = 0; i < open->choices; i++) {
        uint32_t first = cold->bundle[open->choice[i].node];
        cold->next_choice[i] = 0;
        if (first == 0)
            continue;
        if (cold->first_choice[first])
            cold->next_choice[cold->last_choice[first] - 1] = i + 1;
        else
            cold->first_choice[cold->order[count++] = first] = i + 1;
        cold->last_choice[first] = i + 1;
    }
    return count;
}

/* Its best choice, at the state where it hangs. */
static struct open_choice stand_in(const struct open *open, uint32_t first, uint64_t begin, uint64_t end)
{
    struct open_choice choice = open->choice[open->cold.first_choice[first] - 1];
    choice.node = open->node[first].parent;
    choice.generation = open->node[choice.node].generation;
    choice.thread = BUNDLE | (uint32_t)((end - begin) / SHELF_GRAIN) << 8;
    choice.grain = open->shelf.end + (uint32_t)(begin / SHELF_GRAIN);
    return choice;
}

static void leave_memory(struct tree *tree, uint32_t first)
{
    struct open *open = &tree->open;
    uint32_t next;
    for (uint32_t number = first; number; number = next) {
        next = open->cold.next[number];
        open->node[number].parent = 0; /* the state where the bundle hangs has a child as before */
        open_node_free(tree, number);
    }
}

static void leave_fringe(struct open *open, const bool *packed)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < open->choices; i++) {
        uint32_t first = open->cold.bundle[open->choice[i].node];
        if (first == 0 || !packed[first])
            open->choice[kept++] = open->choice[i];
    }
    open->choices = kept;
}

/* Those that fit on the page. */
static void put_bundles_away(struct tree *tree, uint32_t count)
{
    struct open *open = &tree->open;
    struct cold *cold = &open->cold;
    uint64_t end = 0;
    uint32_t packed = 0;
    memset(cold->stays, false, (open->nodes + 1) * sizeof cold->stays[0]); /* from here on: it is packed */
    for (; packed < count; packed++) {
        uint64_t begin = end;
        if (!pack_bundle(tree, cold->order[packed], &end))
            break;
        cold->stands[packed] = stand_in(open, cold->order[packed], begin, end);
        cold->stays[cold->order[packed]] = true;
    }
    if (tree->full || packed == 0)
        return;
    leave_fringe(open, cold->stays);
    for (uint32_t i = 0; i < packed; i++) {
        leave_memory(tree, cold->order[i]);
        fringe_add(tree, &cold->stands[i]);
    }
    shelf_write(tree, end, packed);
}

void cold_put_away(struct tree *tree)
{
    struct open *open = &tree->open;
    memset(open->cold.stays, false, (open->nodes + 1) * sizeof open->cold.stays[0]);
    fringe_sort(tree);
    stay_on_the_way(tree);
    stay_for_the_best(tree);
    uint32_t count = order_states(open);
    measure(tree, count);
    gather_states(open, count);
    put_bundles_away(tree, gather_choices(open));
    uint32_t further = open->alive + cold_room(tree) / FURTHER_PART;
    open->crowded_at = further > cold_room(tree) ? further : cold_room(tree);
}
