/* The reversible races of an execution, each with the beginning that reverses it (JACM 2017, Alg. 2, deferred race detection).
 *
 * A step e races with a later step e' of thread u that depends on it, if nothing that could be reversed itself lies between. What
 * reverses it is every step after e that does not happen after e, then the operation of u: inserted at the state before e. Steps
 * like an unlock cannot be reversed with what they let go on: they are passed, and the step before which u could have run (the
 * lock) races instead. The paper assumes that steps never disable each other; this generalises its rule for locks. Threads that
 * never got to run their last operation race likewise.
 *
 * Invariant: executed footprints decide, except for an operation that did not run (erratum E12). */
#include "engine/optimal/optimal.h"

enum found { REVERSED, ASKS };

/* Can a step still be made if those are not? */
bool is_kept(const struct tree *tree, uint32_t each, const struct dropped *dropped)
{
    for (uint32_t i = 0; i < dropped->count; i++) {
        uint32_t step = dropped->step[i];
        if (each == step || (step < each && clock_knows(tree, &tree->clock[each], step)))
            return false;
    }
    return true;
}

static void drop(struct tree *tree, struct dropped *dropped, uint32_t step)
{
    if (dropped->count == MAX_DROPPED) {
        tree_give_up(tree, "threads that keep one waiting");
        return;
    }
    dropped->step[dropped->count++] = step;
    if (dropped->count == 1 || step < dropped->first)
        dropped->first = step;
}

/* ---- the second steps ---- */

static uint32_t announced_footprint(struct optimal *optimal, struct tree *tree, const struct announced *operation)
{
    return footprint_of(optimal, tree, &tree->touch[operation->first], operation->count);
}

static const clock_vector *clock_of(const struct tree *tree, uint32_t step_after)
{
    static const clock_vector never;
    return step_after ? &tree->clock[step_after - 1] : &never;
}

static struct second executed(struct optimal *optimal, struct tree *tree, uint32_t index)
{
    const struct pushed *step = &tree->step[index];
    uint32_t origin = step->last_before ? step->last_before : tree->actor[step->thread].created;
    const struct announced *operation = &tree->operation[step->operation_before - 1];
    return (struct second){
        .index = index,
        .since = origin,
        .thread = step->thread,
        .ends = step->ends,
        .footprint = optimal->step_footprint[index],
        .announced = announced_footprint(optimal, tree, operation),
        .operation = operation,
        .clock = clock_of(tree, origin),
    };
}

/* Of a step; or of what the thread with the number index - depth did not come to do: `operation` is NULL if there is nothing. */
struct second second_at(struct optimal *optimal, struct tree *tree, uint32_t index)
{
    if (index < tree->depth)
        return executed(optimal, tree, index);
    unsigned number = index - tree->depth;
    const struct actor *actor = &tree->actor[optimal->member[number]];
    if (!(optimal->numbers & bit(number)) || !actor->operation)
        return (struct second){0};
    const struct announced *operation = &tree->operation[actor->operation - 1];
    uint32_t footprint = announced_footprint(optimal, tree, operation), origin = actor->last ? actor->last : actor->created;
    return (struct second){
        .index = tree->depth,
        .since = origin,
        .thread = optimal->member[number],
        .ends = bpor_properties(operation->kind) & ENDS,
        .footprint = footprint,
        .announced = footprint,
        .operation = operation,
        .clock = clock_of(tree, origin),
    };
}

/* ---- the beginning ---- */

static bool sees_the_same(struct optimal *optimal, struct tree *tree, const struct second *second, const struct dropped *dropped)
{
    struct past_walk *walk = &optimal->walk[1];
    uint32_t step;
    if (second->index == tree->depth)
        return false;
    past_walk(optimal, tree, walk, second->footprint, false, second->index);
    while ((step = past_next(walk)) != NO_INDEX && step >= dropped->first)
        if (!is_kept(tree, step, dropped))
            return false;
    return true;
}

/* The second step as it will be. If it sees another past, only its operation is known, and what was answered: a crash need not
 * come again (should it, that is a race to be found then). */
static struct item second_item(struct optimal *optimal, struct tree *tree, const struct second *second,
                               const struct dropped *dropped, const struct answer *answer)
{
    struct item item = {.thread = second->thread, .index = NO_INDEX};
    item.creates = second->index < tree->depth ? tree->step[second->index].created : 0;
    if (sees_the_same(optimal, tree, second, dropped)) {
        item.footprint = second->footprint;
        item.ends = second->ends;
        item.foreseen = true;
        return item;
    }
    item.footprint = second->announced;
    item.ends = bpor_properties(second->operation->kind) & ENDS;
    item.open = may_touch_less(tree, second->operation);
    if (item.open)
        item.question = question_key(optimal, tree, second, dropped);
    if (answer->told)
        item_settle(&item, answer);
    return item;
}

static struct item step_item(const struct optimal *optimal, const struct tree *tree, uint32_t index)
{
    const struct pushed *step = &tree->step[index];
    return (struct item){
        .thread = step->thread,
        .ends = step->ends,
        .foreseen = true,
        .index = index,
        .footprint = optimal->step_footprint[index],
        .creates = step->created,
    };
}

/* The end of the process comes after a step that it does not see just as before it: the trace that is wanted ends there, and one
 * in which a third thread runs in between is another. */
static bool ends_again(struct optimal *optimal, const struct tree *tree, const struct dropped *dropped, const struct item *last)
{
    uint32_t end = tree->depth - 1;
    return dropped->count == 1 && dropped->step[0] == end && tree->step[end].ends && !last->ends &&
           !footprints_conflict(optimal, tree, last->footprint, optimal->step_footprint[end], 0);
}

static struct beginning begin_with(struct optimal *optimal, struct tree *tree, const struct second *second,
                                   const struct dropped *dropped, const struct answer *answer)
{
    struct beginning beginning = {
        .index = dropped->first, .clock = second->clock, .dropped = dropped, .second = second, .item = optimal->sequence};
    for (uint32_t i = dropped->first + 1; i < tree->depth; i++)
        if (is_kept(tree, i, dropped))
            beginning.item[beginning.count++] = step_item(optimal, tree, i);
    beginning.last = beginning.count++;
    beginning.item[beginning.last] = second_item(optimal, tree, second, dropped, answer);
    if (ends_again(optimal, tree, dropped, &beginning.item[beginning.last])) {
        struct item *end = &beginning.item[beginning.count++];
        *end = step_item(optimal, tree, tree->depth - 1);
        end->creates = 0;
    }
    return beginning;
}

static void ask_for_branch(struct optimal *optimal, const struct branch *branch)
{
    uint32_t strip = branch->strip;
    optimal->question.count = branch->asks;
    for (uint32_t i = 0; i <= branch->asks; i += STRIP_NUMBERS, strip = optimal->strip[strip].next)
        for (uint32_t k = 0; k < STRIP_NUMBERS && i + k <= branch->asks; k++)
            optimal->asked[i + k] = optimal->strip[strip].number[k];
}

static enum found insert(struct optimal *optimal, struct tree *tree, struct beginning *beginning)
{
    struct node *node = &optimal->node[beginning->index];
    struct item *item;
    uint32_t branch;
    while ((item = wakeup_to_settle(optimal, tree, node, beginning, &branch)) != NULL && !tree->full) {
        const struct answer *answer = answer_find(optimal, item->question);
        if (!answer) {
            optimal->question.key = item->question;
            if (branch)
                ask_for_branch(optimal, &optimal->branch[branch]);
            else
                question_schedule(optimal, tree, beginning->second, beginning->dropped);
            return ASKS;
        }
        optimal->open -= branch != 0;
        item_settle(item, answer);
    }
    if (!tree->full && !node_covers(optimal, tree, node, beginning))
        wakeup_insert(optimal, tree, node, beginning);
    return REVERSED;
}

/* ---- which races there are ---- */

/* Can the thread of the second run where those steps were not made? */
static enum found runs_without(struct optimal *optimal, struct tree *tree, const struct second *second,
                               const struct dropped *dropped, struct answer *answer)
{
    enum reach reach = could_run(optimal, tree, second, dropped);
    *answer = (struct answer){.enabled = reach == RUNS};
    if (reach != ONLY_AN_EXECUTION_TELLS)
        return REVERSED;
    uint64_t key = question_key(optimal, tree, second, dropped);
    const struct answer *known = answer_find(optimal, key);
    if (known) {
        *answer = *known;
        return REVERSED;
    }
    optimal->question.key = key;
    question_schedule(optimal, tree, second, dropped);
    return ASKS;
}

/* As many steps of every thread are kept as possible: a reader that has already left does not block a writer, and the writer sees
 * it. `dropped` holds the step that is reversed, then `count` of those in `beside`. */
static enum found without_as_few(struct optimal *optimal, struct tree *tree, const struct second *second,
                                 const struct dropped *beside, struct dropped *dropped, struct answer *answer)
{
    uint32_t index = dropped->step[0];
    uint64_t seen = 0;
    struct dropped given = *dropped;
    for (uint32_t i = 1; i < given.count; i++) {
        unsigned thread = tree->step[given.step[i]].thread;
        if (seen & bit(thread))
            continue;
        seen |= bit(thread);
        struct dropped others = {0};
        uint32_t first = NO_INDEX;
        drop(tree, &others, index);
        for (uint32_t k = 1; k < dropped->count; k++)
            if (tree->step[dropped->step[k]].thread != thread)
                drop(tree, &others, dropped->step[k]);
            else if (dropped->step[k] < first)
                first = dropped->step[k];
        *dropped = others;
        drop(tree, dropped, first);
        for (uint32_t k = 0; k <= beside->count; k++) {
            struct dropped fewer = others;
            struct answer without;
            if (k > 0 && (tree->step[beside->step[k - 1]].thread != thread || beside->step[k - 1] <= first))
                continue;
            if (k > 0)
                drop(tree, &fewer, beside->step[k - 1]);
            if (runs_without(optimal, tree, second, &fewer, &without) == ASKS)
                return ASKS;
            if (without.enabled) {
                *dropped = fewer;
                *answer = without;
                break;
            }
        }
    }
    struct beginning beginning = begin_with(optimal, tree, second, dropped, answer);
    return insert(optimal, tree, &beginning);
}

/* Collects the steps passed before that, together with step `index`, block the second step, the latest first. (Two readers block
 * a writer; without one of them it is still blocked.) */
static struct dropped beside_of(const struct optimal *optimal, struct tree *tree, uint32_t passed, uint32_t index)
{
    struct dropped beside = {0};
    for (uint32_t i = 0; i < passed; i++) {
        uint32_t step = optimal->passed[i];
        unsigned kind = tree->operation[tree->step[step].operation_before - 1].kind;
        if (!gives_back(kind) && !clock_knows(tree, &tree->clock[step], index))
            drop(tree, &beside, step);
    }
    return beside;
}

/* `reversed`: step `index` was. */
static enum found try_to_reverse(struct optimal *optimal, struct tree *tree, const struct second *second, uint32_t index,
                                 uint32_t passed, bool *reversed)
{
    struct dropped beside = beside_of(optimal, tree, passed, index), dropped = {0};
    *reversed = false;
    drop(tree, &dropped, index);
    for (uint32_t count = 0; count <= beside.count && !tree->full; count++) {
        struct answer answer;
        if (count)
            drop(tree, &dropped, beside.step[count - 1]);
        if (tree->full)
            break;
        if (runs_without(optimal, tree, second, &dropped, &answer) == ASKS)
            return ASKS;
        if (answer.enabled) {
            *reversed = true;
            return without_as_few(optimal, tree, second, &beside, &dropped, &answer);
        }
    }
    return REVERSED;
}

static bool is_hidden(const struct optimal *optimal, const struct tree *tree, const struct second *second, uint32_t index,
                      uint32_t reversed)
{
    if (clock_knows(tree, second->clock, index))
        return true;
    for (uint32_t i = 0; i < reversed; i++)
        if (clock_knows(tree, &tree->clock[optimal->reversed[i]], index))
            return true;
    return false;
}

/* The steps of others that the second depends on, the latest first, and that do not happen before its thread's last step or
 * before one that was reversed. */
static enum found reverse_all(struct optimal *optimal, struct tree *tree, const struct second *second)
{
    struct past_walk *walk = &optimal->walk[0];
    uint64_t left = past_threads(optimal, tree, second->footprint, second->ends) & ~bit(second->thread);
    uint32_t passed = 0, reversed = 0, index;
    past_walk(optimal, tree, walk, second->footprint, second->ends, second->index);
    while (left && !tree->full && (index = past_next(walk)) != NO_INDEX) {
        unsigned thread = tree->step[index].thread;
        bool now;
        if (!(left & bit(thread)))
            continue;
        if (is_hidden(optimal, tree, second, index, reversed)) {
            left &= ~bit(thread); /* and so are all its earlier steps */
            continue;
        }
        if (try_to_reverse(optimal, tree, second, index, passed, &now) == ASKS)
            return ASKS;
        if (now)
            optimal->reversed[reversed++] = index;
        else
            optimal->passed[passed++] = index;
    }
    return REVERSED;
}

/* Races that were reversed before a question was asked are recognised as covered when their second step is looked at again. */
bool races_reverse(struct optimal *optimal, struct tree *tree)
{
    for (; optimal->looking < tree->depth + THREADS && !tree->full; optimal->looking++) {
        if (optimal->looking >= optimal->look_at && optimal->looking < tree->depth)
            optimal->looking = tree->depth;
        struct second second = second_at(optimal, tree, optimal->looking);
        if (second.operation && reverse_all(optimal, tree, &second) == ASKS)
            return false;
    }
    optimal->looking = NO_INDEX;
    return true;
}

/* What the steps from one index on tell. */
void races_tell(struct optimal *optimal, struct tree *tree, uint32_t first)
{
    for (uint32_t i = first; i < tree->depth; i++) {
        const struct pushed *step = &tree->step[i];
        if (!is_asked_about(tree, &tree->operation[step->operation_before - 1]))
            continue;
        struct second second = second_at(optimal, tree, i);
        struct answer answer = {.key = question_key(optimal, tree, &second, NULL),
                                .footprint = optimal->step_footprint[i],
                                .enabled = true,
                                .told = true,
                                .ends = step->ends};
        answer_enter(optimal, &answer);
    }
}
