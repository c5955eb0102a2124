/* Wakeup trees (JACM 2017, section 6): beginnings of executions that are still to be run at a state, as an ordered tree of steps.
 *
 * Invariant: no beginning in a tree is equivalent to a part of another one, so no execution that follows one is redundant. */
#include "engine/optimal/optimal.h"

uint32_t branch_new(struct optimal *optimal, struct tree *tree, const struct item *item)
{
    uint32_t number = optimal->free_branch;
    if (number) {
        optimal->free_branch = optimal->branch[number].next;
    } else if (optimal->branches + 1 < MAX_BRANCHES) {
        number = ++optimal->branches;
    } else {
        tree_give_up(tree, "beginnings");
        return 0;
    }
    optimal->branch[number] = (struct branch){.item = *item, .rank = ++optimal->ranks};
    optimal->open += item->open;
    return number;
}

static void free_strips(struct optimal *optimal, struct branch *branch)
{
    while (branch->strip) {
        uint32_t strip = branch->strip;
        branch->strip = optimal->strip[strip].next;
        optimal->strip[strip].next = optimal->free_strip;
        optimal->free_strip = strip;
    }
}

/* Without recursion: what lies below it is put in front of what is still to be freed. */
void branch_free(struct optimal *optimal, uint32_t number)
{
    uint32_t waiting = number;
    if (number)
        optimal->branch[number].next = 0;
    while (waiting) {
        struct branch *branch = &optimal->branch[waiting];
        uint32_t child = branch->children, last = child, this = waiting;
        waiting = branch->next;
        while (last && optimal->branch[last].next)
            last = optimal->branch[last].next;
        if (child) {
            optimal->branch[last].next = waiting;
            waiting = child;
        }
        free_strips(optimal, branch);
        optimal->open -= branch->item.open;
        branch->children = 0;
        branch->next = optimal->free_branch;
        optimal->free_branch = this;
    }
}

/* Of different threads. */
bool item_depends(struct optimal *optimal, const struct tree *tree, const struct item *one, const struct item *other)
{
    return one->ends || other->ends || footprints_conflict(optimal, tree, one->footprint, other->footprint, 0);
}

void item_settle(struct item *item, const struct answer *answer)
{
    item->open = false;
    if (answer->told) {
        item->footprint = answer->footprint;
        item->ends = answer->ends;
        item->foreseen = true;
    }
}

/* The cells through which this step's dependence on an open step may be unknown: a cell that this step writes makes the two
 * depend on each other in any case. If cells overlap, a mask cannot tell. */
static uint64_t looked_at(const struct optimal *optimal, const struct tree *tree, const struct item *item)
{
    const struct footprint *footprint = &optimal->footprint[item->footprint];
    return tree->nears ? ~0ull : item->open ? footprint->cells : footprint->reads;
}

/* Is it still unknown whether the two depend on each other? */
static bool is_open_beside(struct optimal *optimal, const struct tree *tree, const struct item *one, const struct item *other)
{
    if (one->thread == other->thread || one->ends || other->ends || (!one->open && !other->open))
        return false;
    if (!(looked_at(optimal, tree, one) & looked_at(optimal, tree, other)))
        return false;
    unsigned reads = (one->open ? ONE_READS : 0) | (other->open ? OTHER_READS : 0);
    return footprints_conflict(optimal, tree, one->footprint, other->footprint, 0) &&
           !footprints_conflict(optimal, tree, one->footprint, other->footprint, reads);
}

/* Of two steps of a beginning: does the first happen before the second? */
static bool precedes(struct optimal *optimal, const struct tree *tree, const struct beginning *beginning, uint32_t early,
                     uint32_t late)
{
    const struct item *one = &beginning->item[early], *other = &beginning->item[late];
    if (other->ends)
        return true;
    if (late != beginning->last)
        return clock_knows(tree, &tree->clock[other->index], one->index);
    return one->thread == other->thread || clock_knows(tree, beginning->clock, one->index) ||
           item_depends(optimal, tree, one, other);
}

static uint32_t first_of(const struct beginning *beginning, const uint32_t *left, uint32_t count, unsigned thread)
{
    uint32_t position = 0;
    while (position < count && beginning->item[left[position]].thread != thread)
        position++;
    return position;
}

/* May what is left of a beginning begin with this step, up to equivalence and more steps at its end? */
bool is_weak_initial(struct optimal *optimal, const struct tree *tree, const struct item *item, const struct beginning *beginning,
                     const uint32_t *left, uint32_t count)
{
    uint32_t position = first_of(beginning, left, count, item->thread);
    if (position == count) {
        for (uint32_t i = 0; i < count; i++)
            if (item_depends(optimal, tree, item, &beginning->item[left[i]]))
                return false;
        return true;
    }
    for (uint32_t i = 0; i < position; i++)
        if (precedes(optimal, tree, beginning, left[i], left[position]))
            return false;
    return true;
}

/* ---- what is not settled ---- */

static bool is_open_beside_all(struct optimal *optimal, const struct tree *tree, const struct item *item,
                               const struct beginning *beginning)
{
    for (uint32_t i = 0; i < beginning->count; i++)
        if (is_open_beside(optimal, tree, item, &beginning->item[i]))
            return true;
    return false;
}

static uint64_t looked_at_by(const struct optimal *optimal, const struct tree *tree, const struct beginning *beginning)
{
    uint64_t cells = 0;
    for (uint32_t i = 0; i < beginning->count; i++)
        cells |= looked_at(optimal, tree, &beginning->item[i]);
    return cells;
}

struct others {
    uint64_t looked; /* at by the beginning */
    bool open;       /* the last step of the beginning is, beside one of them */
    bool thread;     /* one of them is of its thread */
    uint32_t branch; /* that is open beside a step of the beginning; 0: none */
};

static void look_at(struct optimal *optimal, const struct tree *tree, const struct beginning *beginning, uint32_t number,
                    const struct item *item, struct others *others)
{
    const struct item *last = &beginning->item[beginning->last];
    if (last->open) {
        others->thread |= item->thread == last->thread;
        others->open |= is_open_beside(optimal, tree, last, item);
    }
    if (number && item->open && !others->branch && looked_at(optimal, tree, item) & others->looked &&
        is_open_beside_all(optimal, tree, item, beginning))
        others->branch = number;
}

/* All of a tree, the latest first, until nothing more would tell more. */
static void look_at_tree(struct optimal *optimal, struct tree *tree, const struct beginning *beginning, uint32_t siblings,
                         struct others *others)
{
    uint32_t *waiting = optimal->left, count = 0;
    for (;;) {
        for (uint32_t at = siblings; at; at = optimal->branch[at].next) {
            if (count == MAX_DEPTH) {
                tree_give_up(tree, "beginnings");
                return;
            }
            waiting[count++] = at;
        }
        if (count == 0 || others->open)
            return;
        uint32_t number = waiting[--count];
        look_at(optimal, tree, beginning, number, &optimal->branch[number].item, others);
        siblings = optimal->branch[number].children;
    }
}

/* If a failed try were taken for a write, redundant beginnings would be added, and others would be left out because of them. */
struct item *wakeup_to_settle(struct optimal *optimal, struct tree *tree, struct node *node, struct beginning *beginning,
                              uint32_t *branch)
{
    struct item *last = &beginning->item[beginning->last];
    struct others others = {.looked = optimal->open ? looked_at_by(optimal, tree, beginning) : 0};
    for (uint32_t i = 0; last->open && i < node->asleep; i++)
        look_at(optimal, tree, beginning, 0, &optimal->sleeper[node->sleeping + i], &others);
    for (uint32_t at = node->explored; last->open && at; at = optimal->branch[at].next)
        look_at(optimal, tree, beginning, 0, &optimal->branch[at].item, &others);
    if (last->open || optimal->open)
        look_at_tree(optimal, tree, beginning, node->waiting, &others);
    *branch = 0;
    /* What comes before it in the beginning is asked for only on behalf of another step of its thread. */
    if (others.open || (others.thread && is_open_beside_all(optimal, tree, last, beginning)))
        return last;
    *branch = others.branch;
    return others.branch ? &optimal->branch[others.branch].item : NULL;
}

/* ---- insert ---- */

static void keep_schedule(struct optimal *optimal, struct tree *tree, struct branch *branch)
{
    uint32_t *link = &branch->strip;
    branch->asks = optimal->question.count;
    for (uint32_t i = 0; i <= branch->asks; i += STRIP_NUMBERS) {
        uint32_t number = optimal->free_strip;
        if (number) {
            optimal->free_strip = optimal->strip[number].next;
        } else if (optimal->strips + 1 < MAX_STRIPS) {
            number = ++optimal->strips;
        } else {
            tree_give_up(tree, "questions");
            return;
        }
        struct strip *strip = &optimal->strip[number];
        for (uint32_t k = 0; k < STRIP_NUMBERS && i + k <= branch->asks; k++)
            strip->number[k] = optimal->asked[i + k];
        strip->next = 0;
        *link = number;
        link = &strip->next;
    }
}

/* What is left of a beginning, as branches, each below the one before. */
static void append(struct optimal *optimal, struct tree *tree, uint32_t *link, const struct beginning *beginning,
                   const uint32_t *left, uint32_t count)
{
    while (*link)
        link = &optimal->branch[*link].next;
    for (uint32_t i = 0; i < count && !tree->full; i++) {
        const struct item *item = &beginning->item[left[i]];
        uint32_t number = *link = branch_new(optimal, tree, item);
        if (item->open && !tree->full) {
            question_schedule(optimal, tree, beginning->second, beginning->dropped);
            keep_schedule(optimal, tree, &optimal->branch[number]);
        }
        link = &optimal->branch[number].children;
    }
}

/* Adds what of the beginning the tree does not cover yet. */
void wakeup_insert(struct optimal *optimal, struct tree *tree, struct node *node, const struct beginning *beginning)
{
    uint32_t *left = optimal->left, count = beginning->count, *siblings = &node->waiting;
    for (uint32_t i = 0; i < count; i++)
        left[i] = i;
    while (count) {
        uint32_t at = *siblings;
        while (at && !is_weak_initial(optimal, tree, &optimal->branch[at].item, beginning, left, count))
            at = optimal->branch[at].next;
        if (!at) {
            append(optimal, tree, siblings, beginning, left, count);
            return;
        }
        if (!optimal->branch[at].children)
            return;
        uint32_t position = first_of(beginning, left, count, optimal->branch[at].item.thread);
        if (position < count) {
            count--;
            for (uint32_t i = position; i < count; i++)
                left[i] = left[i + 1];
        }
        siblings = &optimal->branch[at].children;
    }
}
