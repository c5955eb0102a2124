/* A bundle as bytes: the states of a subtree, parents before their children, and the choices that are open in it. Most numbers
 * are small, so each is written with seven bits per byte (LEB128). Everything that can be derived from the parent state is left
 * out. */
#include "engine/tree.h"
#include <string.h>

enum { CHECK_BYTES = sizeof(uint64_t), LONGEST_NUMBER = 10, STEP_BITS = 7, MORE = 1 << STEP_BITS };

struct packing {
    uint8_t *at;
    const uint8_t *end;
    bool full;
};

static void put(struct packing *packing, uint64_t number)
{
    if (packing->end - packing->at < LONGEST_NUMBER) {
        packing->full = true;
        return;
    }
    for (; number >= MORE; number >>= STEP_BITS)
        *packing->at++ = (uint8_t)(number | MORE);
    *packing->at++ = (uint8_t)number;
}

static uint64_t check_of(const uint8_t *bytes, uint64_t count)
{
    uint64_t check = count, word;
    for (uint64_t at = CHECK_BYTES; at + sizeof word <= count; at += sizeof word) {
        memcpy(&word, bytes + at, sizeof word);
        check = (check ^ check >> 32) * 0x9e3779b97f4a7c15u + word;
    }
    return check;
}

static uint64_t *const *masks_of(struct open_node *node, uint64_t *mask[])
{
    uint64_t *const all[] = {&node->timed, &node->enabled, &node->backtrack, &node->conservative, &node->done,  &node->asleep,
                             &node->whole, &node->raced,   &node->ranked,    &node->open,         &node->tried, &node->sleeping};
    memcpy(mask, all, sizeof all);
    return mask;
}

enum { MASKS = 12 };

/* ---- away ---- */

static void put_watch(struct packing *packing, const struct tree *tree, const struct watch *watch)
{
    put(packing, watch->thread);
    put(packing, (uint64_t)watch->count << 2 | (uint64_t)watch->open << 1 | watch->dead);
    for (uint32_t at = watch->chunk; at; at = tree->chunk[at].next)
        for (uint32_t i = 0; i < tree->chunk[at].count; i++)
            put(packing, tree->chunk[at].touch[i]);
}

static void put_watches(struct packing *packing, const struct tree *tree, uint32_t first)
{
    uint32_t count = 0;
    for (uint32_t at = first; at; at = tree->watch[at].next)
        count++;
    put(packing, count);
    for (uint32_t at = first; at; at = tree->watch[at].next)
        put_watch(packing, tree, &tree->watch[at]);
}

static void put_node(struct packing *packing, struct tree *tree, uint32_t number, uint32_t parent)
{
    struct open *open = &tree->open;
    struct open_node *node = &open->node[number];
    uint64_t *mask[MASKS];
    put(packing, parent);
    put(packing, node->children);
    put(packing, (uint64_t)node->thread << 2 | (uint64_t)node->exceeded << 1 | node->refused);
    masks_of(node, mask);
    for (unsigned i = 0; i < MASKS; i++)
        put(packing, *mask[i]);
    struct strip_cursor cursor = strip_begin(open, node->strip);
    put(packing, cursor.left);
    while (cursor.left)
        put(packing, strip_next(open, &cursor));
    put_watches(packing, tree, node->watches);
}

static void put_choices(struct packing *packing, struct tree *tree, uint32_t first)
{
    const struct open *open = &tree->open;
    const struct cold *cold = &open->cold;
    uint64_t count = 0;
    for (uint32_t at = cold->first_choice[first]; at; at = cold->next_choice[at - 1])
        count++;
    put(packing, count);
    for (uint32_t at = cold->first_choice[first]; at; at = cold->next_choice[at - 1]) {
        const struct open_choice *choice = &open->choice[at - 1];
        put(packing, cold->inside[choice->node]);
        put(packing, choice->thread);
        put(packing, choice->grain);
        put(packing, choice->rank);
        put(packing, choice->serial);
    }
}

static uint64_t bytes_in_memory(const struct tree *tree, const struct open_node *node)
{
    uint64_t bytes = sizeof *node + strip_pieces(&tree->open, node->strip) * sizeof(struct open_strip);
    for (uint32_t at = node->watches; at; at = tree->watch[at].next) {
        bytes += sizeof tree->watch[at];
        for (uint32_t k = tree->watch[at].chunk; k; k = tree->chunk[k].next)
            bytes += sizeof tree->chunk[k];
    }
    return bytes;
}

bool pack_bundle(struct tree *tree, uint32_t first, uint64_t *end)
{
    struct open *open = &tree->open;
    struct cold *cold = &open->cold;
    struct packing packing = {open->page + *end + CHECK_BYTES, open->page + SHELF_BYTES - SHELF_GRAIN, false};
    uint64_t plain = 0, check;
    uint32_t count = 0;
    if (*end + CHECK_BYTES + LONGEST_NUMBER + SHELF_GRAIN > SHELF_BYTES)
        return false;
    put(&packing, cold->size[first]);
    for (uint32_t number = first; number && !packing.full; number = cold->next[number]) {
        const struct open_node *node = &open->node[number];
        if (!open_node_is_intact(tree, number)) {
            tree_fail(tree, "what was still to be explored was written over");
            return false;
        }
        put_node(&packing, tree, number, number == first ? 0 : cold->inside[node->parent]);
        cold->inside[number] = ++count;
        plain += bytes_in_memory(tree, node);
    }
    put_choices(&packing, tree, first);
    if (packing.full)
        return false;
    while ((packing.at - (open->page + *end)) % SHELF_GRAIN)
        *packing.at++ = 0;
    uint64_t bytes = (uint64_t)(packing.at - (open->page + *end));
    check = check_of(open->page + *end, bytes);
    memcpy(open->page + *end, &check, sizeof check);
    *end += bytes;
    open->shelf.states += count;
    open->shelf.written += count;
    open->shelf.written_bytes += bytes;
    open->shelf.plain_bytes += plain;
    return true;
}

/* ---- and back ---- */

struct unpacking {
    const uint8_t *at;
    const uint8_t *end;
};

static uint64_t get(void *source)
{
    struct unpacking *unpacking = source;
    uint64_t number = 0;
    for (unsigned shift = 0; unpacking->at < unpacking->end && shift < 64; shift += STEP_BITS) {
        uint8_t byte = *unpacking->at++;
        number |= (uint64_t)(byte & (MORE - 1)) << shift;
        if (!(byte & MORE))
            break;
    }
    return number;
}

static uint32_t get_watches(struct unpacking *unpacking, struct tree *tree)
{
    uint32_t first = 0, last = 0;
    for (uint64_t left = get(unpacking); left && !tree->full; left--) {
        uint32_t number = watch_new(tree);
        unsigned thread = (unsigned)get(unpacking);
        uint64_t facts = get(unpacking);
        for (uint64_t touches = facts >> 2; touches && !tree->full; touches--)
            watch_put(tree, number, (uint32_t)get(unpacking));
        struct watch *watch = &tree->watch[number];
        watch->thread = thread;
        watch->open = facts >> 1 & 1;
        watch->dead = facts & 1;
        if (last)
            tree->watch[last].next = number;
        else
            first = number;
        last = number;
    }
    return first;
}

/* `children` are as they were: those that lie on disk, and those that come along. */
static void get_node(struct unpacking *unpacking, struct tree *tree, uint32_t outer, uint32_t index)
{
    struct open *open = &tree->open;
    uint64_t place = get(unpacking);
    uint32_t parent = place == 0 ? outer : open->cold.order[place], number = open_node_new(tree, parent);
    if (tree->full)
        return;
    struct open_node *node = &open->node[number];
    uint64_t *mask[MASKS];
    open->cold.order[index] = number;
    open->node[parent].children--;
    node->children = (uint32_t)get(unpacking);
    uint64_t facts = get(unpacking);
    node->thread = (uint8_t)(facts >> 2);
    node->exceeded = facts >> 1 & 1;
    node->refused = facts & 1;
    node->schedule = bpor_mix(open->node[parent].schedule, node->thread);
    masks_of(node, mask);
    for (unsigned i = 0; i < MASKS; i++)
        *mask[i] = get(unpacking);
    uint32_t words = (uint32_t)get(unpacking);
    node->strip = strip_of_words(tree, get, unpacking, words);
    node->watches = get_watches(unpacking, tree);
}

static void get_choices(struct unpacking *unpacking, struct tree *tree)
{
    const struct open *open = &tree->open;
    for (uint64_t left = get(unpacking); left && !tree->full; left--) {
        struct open_choice choice = {.node = open->cold.order[get(unpacking)]};
        choice.generation = open->node[choice.node].generation;
        choice.thread = (uint32_t)get(unpacking);
        choice.grain = (uint32_t)get(unpacking);
        choice.rank = get(unpacking);
        choice.serial = get(unpacking);
        fringe_add(tree, &choice);
    }
}

/* Returns false if the bytes are not those of the bundle; a checksum covers all of them. */
bool unpack_bundle(struct tree *tree, const struct open_choice *bundle, const uint8_t *bytes, uint64_t count)
{
    struct open *open = &tree->open;
    struct unpacking unpacking = {bytes + CHECK_BYTES, bytes + count};
    uint64_t check;
    memcpy(&check, bytes, sizeof check);
    if (check != check_of(bytes, count))
        return false;
    uint32_t states = (uint32_t)get(&unpacking);
    for (uint32_t index = 1; index <= states && !tree->full; index++)
        get_node(&unpacking, tree, bundle->node, index);
    get_choices(&unpacking, tree);
    for (uint32_t index = 1; index <= states && !tree->full; index++)
        open_node_seal(tree, open->cold.order[index]);
    open->shelf.states -= states;
    return true;
}
