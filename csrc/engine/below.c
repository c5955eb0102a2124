/* A subtree: what lies below one choice of a tree that somebody else owns (bpor/search/engine/trunk.py).
 *
 * Its first execution runs all steps down to that choice, so that the frames above it exist with their clocks. The owner of those
 * frames has already looked for races of those steps, and it knows which threads sleep in the last of those states. A thread that
 * should be tried at a frame above is only noted, because only the owner knows whether the thread sleeps there. */
#include "engine/tree.h"

/* `words`: how many sleep where it begins; for each the thread, how many accesses wake it, and those. */
void below_begin(struct tree *tree, const uint64_t *words)
{
    uint64_t sleepers = *words++;
    for (uint64_t i = 0; i < sleepers; i++) {
        unsigned thread = (unsigned)*words++ % THREADS;
        uint64_t accesses = *words++;
        uint32_t watch = watch_new(tree);
        for (uint64_t k = 0; k < accesses; k++, words += 3) {
            struct bpor_access access = {words[0], (uint32_t)words[1], (uint32_t)words[2]};
            uint32_t first;
            if (cells_resolve(tree, &access, 1, &first))
                watch_add(tree, watch, tree->touch[first]);
            tree->touches = first;
        }
        tree->watch[watch].open = false;
        tree->sleeper[tree->sleepers++] = (struct sleeping){thread, watch};
        tree->given |= bit(thread);
    }
}

/* So many frames belong to somebody else from now on. */
void below_raise(struct tree *tree, uint32_t root)
{
    for (; tree->root < root; tree->root++)
        tree->wanted[tree->root] = (struct bpor_wanted){0};
}

/* Does step `index` only lead to the choice? */
bool below_knows(const struct tree *tree, uint32_t index)
{
    return index + 1 < tree->order.below;
}

/* For the owner, between two batches. */
void below_tell(const struct tree *tree, struct bpor_tree_facts *facts)
{
    if (tree->root == 0)
        return;
    facts->exceeded = tree->frame[tree->root - 1].exceeded;
    facts->alternatives = tree->frame[tree->root - 1].alternatives;
    facts->refuses = tree->frame[tree->root - 1].refused;
    for (uint32_t i = 0; i < tree->root; i++)
        facts->wanted[i] = tree->wanted[i];
    if (facts->begun && !tree_save_watch(tree, tree->root - 1, facts->handed, BPOR_HANDED_WORDS))
        facts->handed[0] = 0; /* the watch is too large to be handed over, so no thread sleeps because of it */
}
