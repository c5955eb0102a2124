#include "engine/matching.h"
#include "engine/tree.h"
#include <string.h>

/* Words of summaries and of sleepers: thread, and what it touches. */
enum { TOUCH_BITS = 17, ALONE = 1 << 16 /* in a summary: it would end the process; of a sleeper: it sleeps */ };

static uint32_t word_of(unsigned thread, uint32_t touch)
{
    return thread << TOUCH_BITS | touch;
}

static struct mark *mark_of(struct tree *tree, const struct frame *frame)
{
    return &tree->matching.mark[frame - tree->frame];
}

static bool bounds_preemption(const struct tree *tree)
{
    return tree->order.preemption_bound != BPOR_UNBOUNDED;
}

static bool bounds_fair(const struct tree *tree)
{
    return tree->order.fair_bound != BPOR_UNBOUNDED;
}

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

/* Everything that only saves work. What lies below the frames of the stack is not known any more. */
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

/* ---- the nodes of the stack ---- */

static uint32_t *node_slot(struct matching *matching, struct identity node)
{
    return &matching->node_slot[entries_slot(node) % NODE_SLOTS];
}

static void put_on_stack(struct matching *matching, struct mark *mark)
{
    uint32_t *slot = node_slot(matching, mark->node);
    mark->next = *slot;
    mark->on_stack = true;
    *slot = (uint32_t)(mark - matching->mark) + 1;
}

static void take_off_stack(struct matching *matching, struct mark *mark)
{
    uint32_t *place = node_slot(matching, mark->node), number = (uint32_t)(mark - matching->mark) + 1;
    if (!mark->on_stack)
        return;
    while (*place != number)
        place = &matching->mark[*place - 1].next;
    *place = mark->next;
    mark->on_stack = false;
}

/* The lowest frame, + 1; 0: none. */
static uint32_t find_on_stack(struct matching *matching, struct identity node)
{
    uint32_t lowest_one = 0;
    for (uint32_t at = *node_slot(matching, node); at; at = matching->mark[at - 1].next)
        if (identity_equals(matching->mark[at - 1].node, node) && (lowest_one == 0 || at < lowest_one))
            lowest_one = at;
    return lowest_one;
}

/* ---- a new state ---- */

/* Counts of yields that say the same of who is kept waiting by a fair bound, and of which there are finitely many: those of
 * threads that ended are 0, the smallest of a live one becomes 0, and a gap between neighbours that is larger than fair + 1
 * becomes fair + 1 (erratum E41). */
static void normalise_yields(struct tree *tree)
{
    uint64_t left = tree->live;
    uint32_t level = 0, before = 0;
    bool first = true;
    EACH_THREAD(thread, tree->existing & ~tree->live)
    tree->actor[thread].yields = 0;
    while (left) {
        uint32_t least = UINT32_MAX;
        EACH_THREAD(thread, left)
        least = tree->actor[thread].yields < least ? tree->actor[thread].yields : least;
        uint32_t gap = least - before, most = tree->order.fair_bound + 1;
        level += first ? 0 : gap < most ? gap : most;
        first = false;
        before = least;
        EACH_THREAD(thread, left)
        if (tree->actor[thread].yields == least) {
            tree->actor[thread].yields = level;
            left &= ~bit(thread);
        }
    }
}

static struct identity with_yields(const struct tree *tree, struct identity identity)
{
    if (bounds_fair(tree))
        EACH_THREAD(thread, tree->live)
    identity = identity_with(identity, (uint64_t)tree->actor[thread].yields << 8 | tree->actor[thread].circles);
    return identity;
}

/* Who ran last matters where leaving it costs (erratum E34). */
struct identity matching_node(const struct tree *tree, struct identity base, unsigned last)
{
    return identity_with(base, bounds_preemption(tree) ? last : NO_THREAD);
}

static struct identity node_of(const struct tree *tree, const struct frame *frame, struct identity base)
{
    return matching_node(tree, base, frame->free ? NO_THREAD : frame->last);
}

static uint32_t pending_summary(struct tree *tree, const struct told_step *step)
{
    struct sets *sets = &tree->matching.sets;
    EACH_THREAD(thread, tree->live)
    {
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

static struct identity take_identity(struct tree *tree)
{
    struct identity identity = tree->matching.told;
    tree->matching.told = (struct identity){0};
    if (tree->order.flags & BPOR_TREE_MATCH_CAUSAL) /* the same steps in another order: the same state */
        identity = (struct identity){bpor_mix(tree_trace_hash(tree), 1), bpor_mix(tree_trace_hash(tree), 2)};
    return identity;
}

/* Leaving a thread that runs on alone and comes back to a state that it has passed is free (E37). */
static void set_free(struct tree *tree, struct frame *frame, unsigned thread)
{
    struct mark *mark = mark_of(tree, frame);
    if (frame->last != thread || frame->free)
        return;
    frame->free = mark->freed = true;
    frame->block = (uint32_t)(frame - tree->frame);
    frame->done = bit(thread); /* who was refused, or charged, is not any more */
    if (!mark->on_stack)
        return;
    take_off_stack(&tree->matching, mark);
    mark->node = node_of(tree, frame, mark->base);
    put_on_stack(&tree->matching, mark);
}

/* A thread has just come to a state. Does it come back from there alone to one that it passed on its way? Then it may be left
 * freely at every state of that round. The frames from `passed` on were passed without a yield that counts. */
static void free_rounds(struct tree *tree, uint32_t state, unsigned thread)
{
    struct explored *explored = &tree->matching.explored;
    const struct mark *mark = tree->matching.mark;
    uint32_t now = ++explored->looked, at = state;
    for (uint32_t i = tree->frames - 1; i-- > 0 && tree->frame[i].chosen == thread && mark[i].state;) {
        const struct explored_edge *edge = explored_edge(explored, mark[i].state, thread);
        if (edge == NULL || edge->ends_rounds)
            break;
        explored->state[mark[i].state].passed = now;
        explored->state[mark[i].state].frame = i;
    }
    while (explored->state[at].passed != now) {
        const struct explored_edge *edge = explored_edge(explored, at, thread);
        if (explored->state[at].walked == now || edge == NULL || edge->ends_rounds)
            return;
        explored->state[at].walked = now;
        at = edge->to;
    }
    for (uint32_t ahead = state; explored->state[ahead].passed != now;) {
        struct explored_edge *edge = explored_edge(explored, ahead, thread);
        edge->circular = true;
        ahead = edge->to;
    }
    for (uint32_t i = explored->state[at].frame; i + 1 < tree->frames; i++) {
        explored_edge(explored, mark[i].state, thread)->circular = true;
        set_free(tree, &tree->frame[i], thread);
    }
}

static bool is_circular(struct tree *tree, uint32_t state, unsigned thread)
{
    const struct explored_edge *edge = explored_edge(&tree->matching.explored, state, thread);
    return edge && edge->circular;
}

static void note_graph(struct tree *tree, struct frame *frame, const struct frame *before, const struct told_step *step,
                       struct identity identity)
{
    struct explored *explored = &tree->matching.explored;
    struct mark *mark = mark_of(tree, frame);
    mark->state = explored_state(explored, identity, frame->enabled);
    if (before == NULL || mark->state == 0)
        return;
    const struct mark *above = mark_of(tree, before);
    if (above->state)
        explored_step(explored, above->state, step->thread, mark->state, step->flags & BPOR_FLAG_YIELD && bounds_fair(tree));
    if (!bounds_preemption(tree))
        return;
    if (!is_circular(tree, mark->state, step->thread))
        free_rounds(tree, mark->state, step->thread);
    if (!frame->free && is_circular(tree, mark->state, step->thread))
        frame->free = mark->freed = true;
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
        note_graph(tree, frame, before, step, identity);
    else
        matching->unidentified += frame->enabled != 0;
    mark->base = identity; /* until the yields are counted */
    mark->summary = pending_summary(tree, step);
}

/* ---- recognised ---- */

static void pass_on(struct tree *tree, const struct frame *frame, uint64_t threads)
{
    uint32_t index = (uint32_t)(frame - tree->frame);
    if (!bounds_preemption(tree) || index == 0 || frame->free)
        return;
    uint32_t block = frame[-1].block;
    EACH_THREAD(thread, threads)
    rule_add(tree, block, thread, true);
    for (uint32_t i = block + 1; i <= index; i++)
        tree->matching.mark[i].cross |= threads;
}

void matching_cross(struct tree *tree, uint32_t index, uint64_t threads)
{
    if (bounds_preemption(tree))
        for (uint32_t i = tree->frame[index].block + 1; i <= index; i++)
            tree->matching.mark[i].cross |= threads;
}

/* Everybody is tried at a state of a cycle, and nobody sleeps there. */
static void expand(struct tree *tree, uint32_t index)
{
    struct frame *frame = &tree->frame[index];
    frame->cyclic = true;
    frame->done &= ~frame->asleep;
    EACH_THREAD(thread, frame->enabled)
    rule_backtrack(tree, index, thread);
}

/* The top of the stack reaches back to frame `to`. */
static void close_round(struct tree *tree, uint32_t to, struct frame *frame)
{
    struct mark *mark = tree->matching.mark;
    uint32_t index = (uint32_t)(frame - tree->frame), low = to;
    for (uint32_t i = to; i < index; i++)
        low = mark[i].low < low ? mark[i].low : low;
    for (uint32_t i = low; i < index; i++) {
        mark[i].low = mark[i].low < low ? mark[i].low : low;
        if (!tree->frame[i].cyclic)
            expand(tree, i);
    }
    mark[index].low = low;
    pass_on(tree, frame, tree->existing);
    frame->exceeded = bounds_preemption(tree) || bounds_fair(tree);
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

/* What lies below is known: it meets the stack here as if it were explored again. */
static void know(struct tree *tree, const struct entry *entry, struct frame *frame, uint32_t used)
{
    struct matching *matching = &tree->matching;
    struct mark *mark = mark_of(tree, frame);
    const struct group *group = entries_group(&matching->entries, entry->group);
    const struct set *summary = &matching->sets.set[group ? group->summary : entry->summary];
    frame->exceeded = entry->exceeded || (group && group->exceeded) || used > entry->used;
    for (uint32_t i = 0; i < summary->count; i++)
        detect_below(tree, matching->sets.word[summary->first + i]);
    pass_on(tree, frame, group ? group->cross : entry->cross);
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

/* Was everybody tried there who would be tried by a visit with these sleepers? Each who slept sleeps here, too, and is not woken
 * by more (erratum E39). */
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

static uint32_t used_at(const struct tree *tree, const struct frame *frame)
{
    return bounds_preemption(tree) ? frame->cost : 0;
}

static bool is_open(const struct group *group)
{
    return group && !group->closed;
}

/* The oldest entry that covers a visit, as in the other engine: it had the most sleepers, so that least is known to lie below. */
static const struct entry *find_entry(struct tree *tree, const struct frame *frame, struct identity node)
{
    struct matching *matching = &tree->matching;
    const struct entry *found = NULL;
    EACH_ENTRY(&matching->entries, node, entry)
    {
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

static bool match(struct tree *tree, struct frame *frame, struct identity node)
{
    struct matching *matching = &tree->matching;
    uint32_t above = find_on_stack(matching, node);
    const struct entry *entry = above ? NULL : find_entry(tree, frame, node);
    const struct group *group = entry ? entries_group(&matching->entries, entry->group) : NULL;
    if (above)
        close_round(tree, above - 1, frame);
    else if (is_open(group))
        close_round(tree, matching->mark[group->frame].low, frame);
    else if (entry)
        know(tree, entry, frame, used_at(tree, frame));
    return above || entry;
}

bool matching_recognises(struct tree *tree)
{
    struct matching *matching = &tree->matching;
    struct frame *frame = &tree->frame[tree->frames - 1];
    struct mark *mark = mark_of(tree, frame);
    if (bounds_fair(tree)) {
        normalise_yields(tree);
        EACH_THREAD(thread, tree->existing)
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
    put_on_stack(matching, mark);
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
    if (find_on_stack(matching, node))
        return true;
    EACH_ENTRY(&matching->entries, node, entry)
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

static void make_entry(struct tree *tree, const struct frame *frame, const struct mark *mark, uint32_t group)
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

void matching_leave(struct tree *tree, const struct frame *frame)
{
    struct matching *matching = &tree->matching;
    struct mark *mark = mark_of(tree, frame), *above = mark - 1;
    uint32_t index = (uint32_t)(frame - tree->frame), group = mark->group;
    bool reaches_up = mark->low < index;
    take_off_stack(matching, mark);
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
        make_entry(tree, frame, mark, reaches_up ? group : 0);
}

void matching_popped(struct tree *tree)
{
    if (bounds_fair(tree) && tree->frames)
        EACH_THREAD(thread, tree->existing)
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
