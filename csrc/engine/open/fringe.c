/* The fringe: open choices in a binary heap. One that was taken, or ranked again, stays in it until it comes to the top. A bundle
 * is as good as the best choice in it. */
#include "engine/tree.h"

static bool comes_before(const struct open_choice *one, const struct open_choice *other)
{
    return one->rank != other->rank ? one->rank < other->rank : one->serial > other->serial;
}

void fringe_add(struct tree *tree, const struct open_choice *choice)
{
    struct open *open = &tree->open;
    if (open->choices == MAX_OPEN_CHOICES) {
        tree_give_up(tree, "open choices");
        return;
    }
    uint32_t at = open->choices++;
    for (; at && comes_before(choice, &open->choice[(at - 1) / 2]); at = (at - 1) / 2)
        open->choice[at] = open->choice[(at - 1) / 2];
    open->choice[at] = *choice;
}

bool fringe_take(struct open *open, struct open_choice *choice)
{
    if (open->choices == 0)
        return false;
    *choice = open->choice[0];
    struct open_choice last = open->choice[--open->choices];
    uint32_t at = 0;
    for (uint32_t child; (child = 2 * at + 1) < open->choices; at = child) {
        child += child + 1 < open->choices && comes_before(&open->choice[child + 1], &open->choice[child]);
        if (!comes_before(&open->choice[child], &last))
            break;
        open->choice[at] = open->choice[child];
    }
    open->choice[at] = last;
    return true;
}

bool fringe_is_open(const struct open *open, const struct open_choice *choice)
{
    if (choice->node >= MAX_OPEN_NODES || (choice->thread >= THREADS && !is_bundle(choice)))
        return false;
    const struct open_node *node = &open->node[choice->node];
    return node->used && node->generation == choice->generation && (is_bundle(choice) || node->open & bit(choice->thread));
}

/* A sorted heap is one, too. */
void fringe_sort(struct tree *tree)
{
    struct open *open = &tree->open;
    uint32_t before = open->choices, count;
    struct open_choice taken;
    open->choices = 0;
    for (uint32_t i = 0; i < before; i++) {
        taken = open->choice[i];
        if (fringe_is_open(open, &taken))
            fringe_add(tree, &taken);
    }
    count = open->choices;
    while (fringe_take(open, &taken))
        open->choice[open->choices] = taken; /* where the last one was */
    for (uint32_t i = 0; i < count / 2; i++) {
        taken = open->choice[i];
        open->choice[i] = open->choice[count - 1 - i];
        open->choice[count - 1 - i] = taken;
    }
    open->choices = count;
}
