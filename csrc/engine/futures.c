/* Futures: what the table knows of a node, and whether it holds for another visit. */
#include "engine/matching_parts.h"

/* Words of summaries and of sleepers: thread, and what it touches. */
enum { TOUCH_BITS = 17, ALONE = 1 << 16 /* in a summary: it would end the process; of a sleeper: it sleeps */ };

static uint32_t word_of(unsigned thread, uint32_t touch)
{
    return thread << TOUCH_BITS | touch;
}

uint32_t future_begins(struct tree *tree, const struct told_step *step)
{
    struct sets *sets = &tree->matching.sets;
    EACH_THREAD (thread, tree->live) {
        const struct announced *operation = history_operation(tree, thread);
        if (bpor_properties(operation->kind) & ENDS)
            sets_collect(sets, word_of(thread, ALONE));
        for (uint32_t i = 0; i < operation->count; i++)
            sets_collect(sets, word_of(thread, tree->touch[operation->first + i]));
    }
    if (step && step->ends_process)
        sets_collect(sets, word_of(step->thread, ALONE));
    return sets_take(sets);
}

/* Races of the stack with what a thread does at or below the top of it. */
static void detect_below(struct tree *tree, uint32_t word)
{
    uint32_t found[THREADS], touch = word & ((1 << TOUCH_BITS) - 1);
    unsigned thread = word >> TOUCH_BITS;
    unsigned count = history_dependents(tree, thread, &touch, 1, touch == ALONE, found);
    if (touch != ALONE || tree->actor[thread].exists)
        count = history_uncovered(tree, thread, found, count);
    for (unsigned i = 0; i < count; i++)
        rule_backtrack(tree, found[i], thread);
}

void future_know(struct tree *tree, const struct entry *entry, struct frame *frame)
{
    struct matching *matching = &tree->matching;
    struct mark *mark = mark_of(tree, frame);
    const struct group *group = entries_group(&matching->entries, entry->group);
    const struct set *summary = &matching->sets.set[group ? group->summary : entry->summary];
    frame->exceeded = entry->exceeded || (group && group->exceeded) || used_at(tree, frame) > entry->used;
    for (uint32_t i = 0; i < summary->count; i++)
        detect_below(tree, matching->sets.word[summary->first + i]);
    rounds_cross(tree, frame, group ? group->cross : entry->cross);
    mark->summary = sets_unite(&matching->sets, mark->summary, group ? group->summary : entry->summary);
}

static uint32_t sleeping_set(struct tree *tree, const struct frame *frame)
{
    struct sets *sets = &tree->matching.sets;
    for (int i = 0, count = __builtin_popcountll(frame->asleep); i < count; i++) {
        const struct sleeping *sleeper = &tree->sleeper[frame->sleepers + (uint32_t)i];
        sets_collect(sets, word_of(sleeper->thread, ALONE));
        for (uint32_t at = tree->watch[sleeper->watch].chunk; at; at = tree->chunk[at].next)
            for (uint32_t k = 0; k < tree->chunk[at].count; k++)
                sets_collect(sets, word_of(sleeper->thread, tree->chunk[at].touch[k]));
    }
    return sets_take(sets);
}

/* Was every thread tried there that a visit with these sleepers would try? That is so if each thread that slept there sleeps here
 * too and is woken by no more accesses (erratum E39). */
static bool covers(const struct sets *sets, uint32_t slept, uint32_t sleeping)
{
    const struct set *old = &sets->set[slept], *new = &sets->set[sleeping];
    if (slept == SET_LOST || sleeping == SET_LOST)
        return false;
    for (uint32_t i = 0; i < old->count; i++) {
        uint32_t word = sets->word[old->first + i];
        if (word & ALONE && !sets_have(sets, sleeping, word))
            return false;
    }
    for (uint32_t i = 0; i < new->count; i++) {
        uint32_t word = sets->word[new->first + i], slept_too = (word >> TOUCH_BITS << TOUCH_BITS) | ALONE;
        if (sets_have(sets, slept, slept_too) && !sets_have(sets, slept, word) && !sets_have(sets, slept, word | 1))
            return false;
    }
    return true;
}

static bool is_covered(struct tree *tree, const struct entry *entry, const struct frame *frame, uint32_t used)
{
    struct matching *matching = &tree->matching;
    if (entry->used > used) /* erratum E35 */
        return false;
    return entry->sleep == SET_EMPTY || covers(&matching->sets, entry->sleep, sleeping_set(tree, frame));
}

/* Returns the oldest entry that covers a visit, as the engine in Python does. The oldest one had the most sleepers, so the least
 * is known to lie below it. */
const struct entry *future_find(struct tree *tree, const struct frame *frame, struct identity node)
{
    struct matching *matching = &tree->matching;
    const struct entry *found = NULL;
    EACH_ENTRY (&matching->entries, node, entry) {
        const struct group *group = entries_group(&matching->entries, entry->group);
        bool open = is_open(group), whole = entry->check == entry_check(entry) && sets_prove(&matching->sets, entry->sleep);
        if (!open && group)
            whole &= group->check == group_check(group);
        if (!open)
            whole &= sets_prove(&matching->sets, group ? group->summary : entry->summary);
        if (whole && is_covered(tree, entry, frame, used_at(tree, frame)))
            found = entry;
    }
    return found;
}

void future_remember(struct tree *tree, const struct frame *frame, const struct mark *mark, uint32_t group)
{
    struct matching *matching = &tree->matching;
    uint32_t sleep = frame->cyclic ? SET_EMPTY : sleeping_set(tree, frame);
    if (sleep != SET_LOST)
        entries_add(&matching->entries, (struct entry){
                                            .node = mark->node,
                                            .cross = mark->cross,
                                            .used = used_at(tree, frame),
                                            .sleep = sleep,
                                            .summary = mark->summary,
                                            .group = group,
                                            .exceeded = frame->exceeded,
                                        });
}
