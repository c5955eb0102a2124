/* Crew: a thread is its creator and how many children that had, which is what its name says (actors.c). The runtime numbers
 * threads in the order of their creation, which two ways to one state may do differently. */
#include "engine/tree.h"

/* Members are counted in the order in which the search meets them: where threads are always created in one order they are the
 * threads. */
unsigned graphs_member(struct tree *tree, unsigned thread)
{
    struct graphs *graphs = &tree->graphs;
    uint64_t name = tree->actor[thread].name;
    unsigned member = graphs->member[thread];
    if (member < graphs->members && graphs->name[member] == name)
        return member;
    for (member = 0; member < graphs->members && graphs->name[member] != name;)
        member++;
    if (member == THREADS) {
        tree_give_up(tree, "threads");
        return 0;
    }
    if (member == graphs->members)
        graphs->name[graphs->members++] = name;
    graphs->member[thread] = (uint8_t)member;
    return member;
}

uint64_t graphs_members(struct tree *tree, uint64_t threads)
{
    uint64_t members = 0;
    EACH_THREAD (thread, threads)
        members |= bit(graphs_member(tree, thread));
    return members;
}

unsigned graphs_thread(struct tree *tree, unsigned member)
{
    if (tree->existing & bit(member) && tree->actor[member].name == tree->graphs.name[member])
        return member;
    EACH_THREAD (thread, tree->existing)
        if (tree->actor[thread].name == tree->graphs.name[member])
            return thread;
    return NO_THREAD;
}
