/* The fringe: open choices in a binary heap. One that was taken, or ranked again, stays in it until it comes to the top. */
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
