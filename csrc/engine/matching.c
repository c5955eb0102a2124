#include "engine/matching_parts.h"
#include "engine/yields.h"
#include <string.h>

void matching_begin(struct tree *tree)
{
    struct matching *matching = &tree->matching;
    matching->told = (struct identity){0};
    matching->matched = matching->unidentified = matching->forgotten = 0;
    memset(matching->node_slot, 0, sizeof matching->node_slot);
    entries_forget(&matching->entries);
    sets_forget(&matching->sets);
    explored_forget(&matching->explored);
}

static bool is_full(const struct tree *tree)
{
    const struct entries *entries = &tree->matching.entries;
    uint32_t limit = tree->order.match_limit;
    return tree->matching.sets.full || entries_are_full(entries) || (limit && entries->entries >= limit);
}

/* Empties all tables that only save work. Afterwards nothing is known about what lies below the frames of the stack. */
static void forget(struct tree *tree)
{
    struct matching *matching = &tree->matching;
    matching->forgotten++;
    entries_forget(&matching->entries);
    sets_forget(&matching->sets);
    for (uint32_t i = 0; i < tree->frames; i++) {
        matching->mark[i].summary = SET_LOST;
        matching->mark[i].group = 0;
    }
}

/* ---- a new state ---- */

/* Those of threads that ended are 0 (erratum E41). */
static void normalise_yields(struct tree *tree)
{
    uint32_t *count[THREADS];
    unsigned threads = 0;
    EACH_THREAD (thread, tree->existing & ~tree->live)
        tree->actor[thread].yields = 0;
    EACH_THREAD (thread, tree->live)
        count[threads++] = &tree->actor[thread].yields;
    yields_normalise(count, threads, tree->order.fair_bound);
}

static struct identity with_yields(const struct tree *tree, struct identity identity)
{
    if (bounds_fair(tree))
        EACH_THREAD (thread, tree->live)
            identity = matching_yields(identity, tree->actor[thread].yields, tree->actor[thread].circles);
    return identity;
}

static struct identity take_identity(struct tree *tree)
{
    struct identity identity = tree->matching.told;
    tree->matching.told = (struct identity){0};
    if (tree->order.flags & BPOR_TREE_MATCH_CAUSAL) /* the same steps in another order: the same state */
        identity = (struct identity){bpor_mix(tree_trace_hash(tree), 1), bpor_mix(tree_trace_hash(tree), 2)};
    return identity;
}

void matching_arrive(struct tree *tree, struct frame *frame, const struct frame *before, const struct told_step *step)
{
    struct matching *matching = &tree->matching;
    struct mark *mark = mark_of(tree, frame);
    uint32_t index = (uint32_t)(frame - tree->frame);
    struct identity identity = take_identity(tree);
    *mark = (struct mark){.low = index, .identified = identity_is_known(identity)};
    if (is_full(tree))
        forget(tree);
    if (before) {
        const struct mark *above = mark_of(tree, before);
        mark->charged = above->charged + (step->thread != before->last && (above->freed || !before->free));
    }
    if (mark->identified)
        rounds_note(tree, frame, before, step, identity);
    else
        matching->unidentified += frame->enabled != 0;
    mark->base = identity; /* until the yields are counted */
    mark->summary = future_begins(tree, step);
}

/* ---- recognised ---- */

static bool match(struct tree *tree, struct frame *frame, struct identity node)
{
    struct matching *matching = &tree->matching;
    uint32_t above = node_find(matching, node);
    const struct entry *entry = above ? NULL : future_find(tree, frame, node);
    const struct group *group = entry ? entries_group(&matching->entries, entry->group) : NULL;
    if (above)
        rounds_close(tree, above - 1, frame);
    else if (is_open(group))
        rounds_close(tree, matching->mark[group->frame].low, frame);
    else if (entry)
        future_know(tree, entry, frame);
    return above || entry;
}

bool matching_recognises(struct tree *tree)
{
    struct matching *matching = &tree->matching;
    struct frame *frame = &tree->frame[tree->frames - 1];
    struct mark *mark = mark_of(tree, frame);
    if (bounds_fair(tree)) {
        normalise_yields(tree);
        EACH_THREAD (thread, tree->existing)
            matching->yields[tree->frames - 1][thread] = tree->actor[thread].yields;
    }
    if (!mark->identified)
        return false;
    mark->base = with_yields(tree, mark->base);
    mark->node = node_of(tree, frame, mark->base);
    if (frame->enabled && tree->frames > 1 && match(tree, frame, mark->node)) {
        matching->matched++;
        return mark->leaf = true;
    }
    node_put(matching, mark);
    return false;
}

bool matching_goes_on(const struct tree *tree, unsigned outcome)
{
    if (!tree->matches || tree->matching.mark[tree->frames - 1].leaf)
        return false;
    bool early = outcome == BPOR_OUTCOME_STEP_LIMIT && tree->depth < tree->order.max_steps;
    return outcome == BPOR_OUTCOME_MATCHED || outcome == BPOR_OUTCOME_OVER_BOUND || early;
}

bool matching_seems_known(struct tree *tree, struct identity node, uint32_t spent)
{
    struct matching *matching = &tree->matching;
    if (node_find(matching, node))
        return true;
    EACH_ENTRY (&matching->entries, node, entry)
        if (entry->sleep == SET_EMPTY && (entry->used <= spent || !bounds_preemption(tree)))
            return true;
    return false;
}

uint32_t matching_limit(const struct tree *tree)
{
    const struct frame *frame = &tree->frame[tree->frames - 1];
    const struct mark *mark = &tree->matching.mark[tree->frames - 1];
    if (!bounds_preemption(tree) || tree->frames == 0)
        return tree->order.preemption_bound;
    bool changes = frame->chosen != frame->last;
    uint32_t charged = mark->charged + (changes && (mark->freed || !frame->free));
    return tree->order.preemption_bound + charged - rule_cost(tree, frame, frame->chosen);
}

/* ---- the end of a frame ---- */

void matching_leave(struct tree *tree, const struct frame *frame)
{
    struct matching *matching = &tree->matching;
    struct mark *mark = mark_of(tree, frame), *above = mark - 1;
    uint32_t index = (uint32_t)(frame - tree->frame), group = mark->group;
    bool reaches_up = mark->low < index;
    node_take_off(matching, mark);
    if (is_full(tree)) {
        forget(tree);
        group = 0;
    }
    bool lasts = !mark->leaf && mark->identified && frame->enabled && mark->summary != SET_LOST;
    if (reaches_up) {
        if (lasts && !group)
            group = entries_new_group(&matching->entries, index - 1);
        above->group = entries_join(&matching->entries, above->group, group, index - 1);
        above->low = mark->low < above->low ? mark->low : above->low;
    } else if (group) {
        struct group *closing = entries_group(&matching->entries, group);
        closing->closed = true;
        closing->summary = mark->summary;
        closing->cross = tree->existing;
        closing->exceeded = frame->exceeded;
        closing->check = group_check(closing);
    }
    if (index)
        above->summary = sets_unite(&matching->sets, above->summary, mark->summary);
    if (lasts)
        future_remember(tree, frame, mark, reaches_up ? group : 0);
}

void matching_popped(struct tree *tree)
{
    if (bounds_fair(tree) && tree->frames)
        EACH_THREAD (thread, tree->existing)
            tree->actor[thread].yields = tree->matching.yields[tree->frames - 1][thread];
}

/* ---- what is told ---- */

void matching_tell(const struct tree *tree, struct bpor_tree_facts *facts)
{
    const struct matching *matching = &tree->matching;
    facts->states = tree->matches ? matching->explored.states : 0;
    facts->unidentified = tree->matches ? matching->unidentified + matching->explored.full : 0;
}

uint64_t matching_save(const struct tree *tree, uint64_t *words, uint64_t room)
{
    const struct explored *explored = &tree->matching.explored;
    uint64_t count = 0;
    if (!tree->matches || 3 + (uint64_t)explored->states + 2 * (uint64_t)explored->edges > room)
        return 0;
    words[count++] = explored->states;
    words[count++] = explored->edges;
    words[count++] = explored->states ? 1 : 0; /* the root is the first that was met */
    for (uint32_t i = 1; i <= explored->states; i++)
        words[count++] = explored->state[i].enabled;
    for (uint32_t i = 1; i <= explored->edges; i++) {
        words[count++] = (uint64_t)explored->edge[i].from << 32 | explored->edge[i].to;
        words[count++] = explored->edge[i].thread;
    }
    return count;
}
