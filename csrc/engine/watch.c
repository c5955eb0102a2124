/* Watch: the accesses whose conflicts wake a sleeping thread. Owned by one frame; frames above it refer to it. */
#include "engine/tree.h"

uint32_t watch_new(struct tree *tree)
{
    uint32_t number = tree->free_watch;
    if (number) {
        tree->free_watch = tree->watch[number].next;
    } else if (tree->watches + 1 < MAX_WATCHES) {
        number = ++tree->watches;
    } else {
        tree_give_up(tree, "watch sets");
        return WATCH_NONE;
    }
    tree->watch[number] = (struct watch){.open = true};
    return number;
}

void watch_free(struct tree *tree, uint32_t number)
{
    struct watch *watch = &tree->watch[number];
    if (watch->chunk) {
        tree->chunk[watch->last_chunk].next = tree->free_chunk;
        tree->free_chunk = watch->chunk;
    }
    watch->next = tree->free_watch;
    tree->free_watch = number;
}

static uint32_t new_chunk(struct tree *tree)
{
    uint32_t number = tree->free_chunk;
    if (number) {
        tree->free_chunk = tree->chunk[number].next;
    } else if (tree->chunks + 1 < MAX_CHUNKS) {
        number = ++tree->chunks;
    } else {
        tree_give_up(tree, "watched objects");
        return 0;
    }
    tree->chunk[number].count = tree->chunk[number].next = 0;
    return number;
}

/* Where a new touch goes; 0: nowhere. */
static uint32_t chunk_with_room(struct tree *tree, struct watch *watch)
{
    if (watch->chunk && tree->chunk[watch->last_chunk].count < CHUNK_TOUCHES)
        return watch->last_chunk;
    uint32_t number = new_chunk(tree);
    if (number == 0)
        return 0;
    if (watch->chunk)
        tree->chunk[watch->last_chunk].next = number;
    else
        watch->chunk = number;
    watch->last_chunk = number;
    return number;
}

/* A touch of a cell that the watch does not name yet. Answers its place; 0: there is none. */
uint32_t watch_put(struct tree *tree, uint32_t number, uint32_t touch)
{
    struct watch *watch = &tree->watch[number];
    uint32_t at = chunk_with_room(tree, watch);
    if (at == 0)
        return 0;
    struct chunk *chunk = &tree->chunk[at];
    uint32_t place = at * CHUNK_TOUCHES + chunk->count;
    chunk->touch[chunk->count++] = touch;
    watch->any |= bit(touched_cell(touch) % 64);
    if (writes(touch))
        watch->written |= bit(touched_cell(touch) % 64);
    if (++watch->count > LARGEST_WATCH)
        watch->dead = true;
    return place;
}

/* Likewise. The cell remembers the place, for the block that is open. */
void watch_add(struct tree *tree, uint32_t number, uint32_t touch)
{
    uint32_t place = watch_put(tree, number, touch);
    if (place)
        tree->cell[touched_cell(touch)].place = place;
}

/* What a watch says of a cell, or NULL. */
static const uint32_t *find(const struct tree *tree, const struct watch *watch, uint32_t cell)
{
    for (uint32_t at = watch->chunk; at; at = tree->chunk[at].next)
        for (uint32_t i = 0; i < tree->chunk[at].count; i++)
            if (touched_cell(tree->chunk[at].touch[i]) == cell)
                return &tree->chunk[at].touch[i];
    return NULL;
}

/* Both, in one of them. */
void watch_merge(struct tree *tree, uint32_t into, uint32_t from)
{
    struct watch *watch = &tree->watch[into];
    watch->open |= tree->watch[from].open;
    watch->dead |= tree->watch[from].dead;
    for (uint32_t at = tree->watch[from].chunk; at; at = tree->chunk[at].next)
        for (uint32_t i = 0; i < tree->chunk[at].count; i++) {
            uint32_t touch = tree->chunk[at].touch[i];
            uint32_t *known = (uint32_t *)find(tree, watch, touched_cell(touch));
            if (known == NULL) {
                watch_add(tree, into, touch);
            } else if (writes(touch)) {
                *known |= 1;
                watch->written |= bit(touched_cell(touch) % 64);
            }
        }
}

static bool names(const struct tree *tree, const struct watch *watch, uint32_t cell, bool written)
{
    const uint32_t *touch = find(tree, watch, cell);
    return touch && (written || writes(*touch));
}

bool watch_conflicts(const struct tree *tree, uint32_t number, const uint32_t *touch, unsigned count)
{
    const struct watch *watch = &tree->watch[number];
    for (unsigned i = 0; i < count; i++)
        EACH_NEAR (tree, touched_cell(touch[i]), cell) {
            uint64_t signature = writes(touch[i]) ? watch->any : watch->written;
            if (signature & bit(cell % 64) && names(tree, watch, cell, writes(touch[i])))
                return true;
        }
    return false;
}
