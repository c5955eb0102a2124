/* Crew: threads under numbers that equivalent executions share. A thread is its creator and how many children that had: its
 * *member* number. The runtime numbers threads in the order of their creation, which two equivalent executions may do
 * differently.
 *
 * Invariant: the same thread has the same member number in every execution; where executions create their threads in one order
 * both numberings are the same. */
#include "engine/optimal/optimal.h"

static void enrol(struct optimal *optimal, unsigned member, unsigned number)
{
    optimal->number[member] = (uint8_t)number;
    optimal->member[number] = (uint8_t)member;
    optimal->enrolled |= bit(member);
    optimal->numbers |= bit(number);
}

/* Those of the start keep their numbers. */
void crew_begin(struct optimal *optimal, const struct tree *tree)
{
    optimal->enrolled = optimal->numbers = 0;
    optimal->created = 0;
    EACH_THREAD (thread, tree->existing)
        enrol(optimal, thread, thread);
}

static unsigned find_kin(const struct optimal *optimal, unsigned creator, uint32_t child)
{
    unsigned place = 0;
    while (place < optimal->kin && (optimal->kin_of[place].creator != creator || optimal->kin_of[place].child != child))
        place++;
    return place;
}

/* A thread that a step of `creator` made, which is its n-th child. */
static void enrol_child(struct optimal *optimal, struct tree *tree, unsigned creator, uint32_t child, unsigned number)
{
    unsigned place = find_kin(optimal, creator, child);
    optimal->first_number = number - optimal->created;
    unsigned member = optimal->first_number + place;
    if (member >= THREADS || number >= THREADS) {
        tree_give_up(tree, "threads");
        return;
    }
    optimal->kin_of[place].creator = (uint8_t)creator;
    optimal->kin_of[place].child = child;
    optimal->kin += place == optimal->kin;
    enrol(optimal, member, number);
    optimal->created++;
}

static void enrol_created(struct optimal *optimal, struct tree *tree, const struct told_step *step, unsigned creator)
{
    uint32_t child = tree->actor[creator].children;
    for (unsigned i = 0; i < step->announced && !tree->full; i++)
        if (!(optimal->numbers & bit(step->operation[i].thread)))
            enrol_child(optimal, tree, creator, child++, step->operation[i].thread);
    EACH_THREAD (ended, step->finished & ~optimal->numbers)
        if (!tree->full)
            enrol_child(optimal, tree, creator, child++, ended);
}

static bool is_same(const struct optimal *optimal)
{
    bool same = true;
    EACH_THREAD (member, optimal->enrolled)
        same &= optimal->number[member] == member;
    return same;
}

/* A step as an execution told it, in members. Its enabled set stays in numbers. */
const struct told_step *crew_translate(struct optimal *optimal, struct tree *tree, const struct told_step *step)
{
    struct told_step *told = &optimal->told;
    if (step->thread >= THREADS || !(optimal->numbers & bit(step->thread))) {
        tree_fail(tree, "a thread ran that nobody created");
        return step;
    }
    enrol_created(optimal, tree, step, optimal->member[step->thread]);
    if (tree->full || is_same(optimal))
        return step;
    *told = *step;
    told->thread = optimal->member[step->thread];
    told->finished = 0;
    EACH_THREAD (ended, step->finished)
        told->finished |= bit(optimal->member[ended]);
    for (unsigned i = 0; i < told->announced; i++) {
        struct told_operation *operation = &told->operation[i];
        operation->thread = optimal->member[operation->thread];
        if (operation->target < THREADS && optimal->numbers & bit(operation->target))
            operation->target = optimal->member[operation->target];
    }
    return told;
}

/* The step that created these was popped. */
void crew_pop(struct optimal *optimal, uint64_t created)
{
    EACH_THREAD (member, created) {
        optimal->enrolled &= ~bit(member);
        optimal->numbers &= ~bit(optimal->number[member]);
        optimal->created--;
    }
}

void numbering_begin(const struct optimal *optimal, const struct tree *tree, struct numbering *numbering, uint32_t index)
{
    for (unsigned i = 0; i < THREADS; i++)
        numbering->number[i] = optimal->number[i];
    numbering->enrolled = optimal->enrolled;
    numbering->created = optimal->created;
    for (uint32_t i = index; i < tree->depth; i++) {
        numbering->enrolled &= ~tree->step[i].created;
        numbering->created -= (uint32_t)__builtin_popcountll(tree->step[i].created);
    }
}

unsigned numbering_take(const struct optimal *optimal, struct numbering *numbering, unsigned member, uint64_t creates)
{
    EACH_THREAD (child, creates & ~numbering->enrolled) {
        numbering->number[child] = (uint8_t)(optimal->first_number + numbering->created++);
        numbering->enrolled |= bit(child);
    }
    return numbering->number[member];
}
