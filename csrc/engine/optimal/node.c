/* Node: a state on the stack of optimal search: what is still to be run there, what was, and who sleeps. */
#include "engine/optimal/optimal.h"

/* Everything below the step being explored was. */
void node_leave(struct optimal *optimal, struct node *node)
{
    if (!node->chosen)
        return;
    optimal->branch[node->chosen].next = node->explored;
    node->explored = node->chosen;
    node->chosen = 0;
}

static void set_asleep(struct item *asleep, uint64_t *mask, const struct item *item)
{
    asleep[item->thread] = *item;
    *mask |= bit(item->thread);
}

/* Who sleeps while a branch is explored. Of those that wait only steps that are known: any other may end the process, and
 * conflict with everything. */
uint64_t node_beside(const struct optimal *optimal, const struct node *node, const struct branch *branch, struct item *asleep)
{
    uint64_t mask = 0;
    for (uint32_t i = 0; i < node->asleep; i++)
        set_asleep(asleep, &mask, &optimal->sleeper[node->sleeping + i]);
    for (uint32_t at = node->explored; at; at = optimal->branch[at].next) {
        const struct branch *older = &optimal->branch[at];
        if (older->rank < branch->rank && older->item.thread != branch->item.thread)
            set_asleep(asleep, &mask, &older->item);
    }
    for (uint32_t at = node->waiting; at; at = optimal->branch[at].next) {
        const struct branch *older = &optimal->branch[at];
        if (older->item.foreseen && older->rank < branch->rank && older->item.thread != branch->item.thread)
            set_asleep(asleep, &mask, &older->item);
    }
    return mask;
}

/* Of those, after a step. */
uint64_t still_asleep(struct optimal *optimal, const struct tree *tree, uint64_t mask, const struct item *asleep,
                      const struct item *item)
{
    uint64_t left = 0;
    EACH_THREAD (thread, mask & ~bit(item->thread))
        if (!item_depends(optimal, tree, &asleep[thread], item))
            left |= bit(thread);
    return left;
}

/* The state that the step being explored at the last node has led to. */
void node_push(struct optimal *optimal, struct tree *tree, uint64_t enabled)
{
    struct node *node = &optimal->node[optimal->nodes++];
    *node = (struct node){.enabled = enabled, .sleeping = optimal->sleeping_count};
    if (optimal->nodes == 1)
        return;
    struct item asleep[THREADS];
    const struct branch *chosen = &optimal->branch[node[-1].chosen];
    uint64_t mask = node_beside(optimal, &node[-1], chosen, asleep);
    EACH_THREAD (thread, still_asleep(optimal, tree, mask, asleep, &chosen->item)) {
        if (optimal->sleeping_count == MAX_SLEEPING) {
            tree_give_up(tree, "sleeping threads");
            return;
        }
        optimal->sleeper[optimal->sleeping_count++] = asleep[thread];
        node->asleep++;
    }
}

/* The last one, where nothing is left to be run. */
void node_pop(struct optimal *optimal)
{
    struct node *node = &optimal->node[--optimal->nodes];
    while (node->explored) {
        uint32_t branch = node->explored;
        node->explored = optimal->branch[branch].next;
        branch_free(optimal, branch);
    }
    optimal->sleeping_count = node->sleeping;
}

/* Is every execution with this beginning equivalent to one that starts with a step that was already explored or that sleeps? */
bool node_covers(struct optimal *optimal, const struct tree *tree, const struct node *node, const struct beginning *beginning)
{
    uint64_t rank = optimal->branch[node->chosen].rank;
    uint32_t *all = optimal->left;
    for (uint32_t i = 0; i < beginning->count; i++)
        all[i] = i;
    for (uint32_t i = 0; i < node->asleep; i++)
        if (is_weak_initial(optimal, tree, &optimal->sleeper[node->sleeping + i], beginning, all, beginning->count))
            return true;
    for (uint32_t at = node->explored; at; at = optimal->branch[at].next)
        if (optimal->branch[at].rank < rank &&
            is_weak_initial(optimal, tree, &optimal->branch[at].item, beginning, all, beginning->count))
            return true;
    return false;
}
