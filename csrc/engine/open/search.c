/* The next execution of best-first search: the best open choice, and the way to the state where it is open. */
#include "engine/known.h"
#include "engine/tree.h"
#include <stddef.h>
#include <string.h>

enum { WALKS_AT_ONCE = 32, MOST_NODES = MAX_OPEN_NODES / 8 * 7 };

void open_begin(struct tree *tree)
{
    struct open *open = &tree->open;
    memset(open, 0, offsetof(struct open, way));
    memset(open->name, 0, sizeof open->name);
    open->crowded_at = cold_room(tree);
}

static uint32_t *way_top(struct tree *tree)
{
    return &tree->open.way[tree->frames - 1];
}

/* ---- a new state ---- */

void open_arrive(struct tree *tree, const struct told_step *step)
{
    struct open *open = &tree->open;
    uint32_t parent = step ? way_top(tree)[-1] : 0, number = open_node_new(tree, parent);
    struct open_node *node = &open->node[number], *before = &open->node[parent];
    *way_top(tree) = number;
    if (step == NULL || tree->full)
        return;
    node->thread = step->thread;
    node->strip = strip_put(tree, step);
    node->schedule = bpor_mix(before->schedule, step->thread);
    node->sleeping = step->ends_process ? 0 : (before->tried | before->sleeping) & ~tree->racing & ~bit(step->thread);
    before->tried |= bit(step->thread);
}

void open_tell(const struct tree *tree, struct bpor_tree_facts *facts)
{
    facts->nodes = tree->best_first ? tree->open.alive : 0;
    facts->most_nodes = tree->best_first ? tree->open.most : 0;
    facts->shelved = tree->best_first ? tree->open.shelf.states : 0;
    facts->written = tree->best_first ? tree->open.shelf.written : 0;
    facts->written_bytes = tree->best_first ? tree->open.shelf.written_bytes : 0;
    facts->plain_bytes = tree->best_first ? tree->open.shelf.plain_bytes : 0;
}

void open_undo(struct tree *tree)
{
    open_node_free(tree, *way_top(tree));
}

/* ---- the fringe ---- */

/* When little room is left, new choices come first, and the deepest of them before the others: that is depth-first search, which
 * needs next to no memory, and it continues until enough memory is free again. */
static bool is_short_of_room(const struct open *open)
{
    return open->alive >= MOST_NODES || open->strips_alive >= MAX_OPEN_STRIPS / 8 * 7 ||
           open->choices >= MAX_OPEN_CHOICES / 8 * 7;
}

static uint32_t found(struct tree *tree, uint32_t index, unsigned thread, uint32_t count)
{
    struct open *open = &tree->open;
    struct open_node *node = &open->node[open->way[index]];
    if (count == MAX_FOUND) {
        tree_give_up(tree, "new choices of one execution");
        return count;
    }
    open->found[count] = (struct open_choice){
        .rank = is_short_of_room(open) ? 0 : rank_of(tree, &tree->frame[index], node, thread),
        .node = open->way[index],
        .generation = node->generation,
        .thread = thread,
    };
    node->open |= bit(thread);
    return count + 1;
}

/* The threads of a frame that belong into the fringe now: open ones that a race asks for since, which may rank higher, and new
 * ones. */
static uint32_t find_at(struct tree *tree, struct bpor_tree_facts *facts, uint32_t index, uint32_t count)
{
    struct frame *frame = &tree->frame[index];
    struct open_node *node = &tree->open.node[tree->open.way[index]];
    uint64_t again = frame->raced & ~node->ranked & node->open, ready;
    node->ranked = frame->raced;
    EACH_THREAD (thread, again)
        count = found(tree, index, thread, count);
    while ((ready = (frame->backtrack | (frame->exceeded ? frame->conservative : 0)) & ~frame->done)) {
        frame->done |= ready;
        EACH_THREAD (thread, ready & ~rule_asleep(frame))
            if (rule_refuses(tree, frame, thread))
                tree_refuse(frame, facts);
            else
                count = found(tree, index, thread, count);
    }
    return count;
}

/* The operations that were pending before the step that led to a frame. */
static void step_back(struct tree *tree, uint32_t index)
{
    const struct pushed *step = &tree->step[index - 1];
    EACH_THREAD (child, step->created)
        tree->open.pending[child] = 0;
    tree->open.pending[step->thread] = step->operation_before;
}

/* After anything that may have added points to the frames on the stack. The choices of the deepest are the newest. */
static void settle(struct tree *tree, struct bpor_tree_facts *facts)
{
    struct open *open = &tree->open;
    uint32_t count = 0;
    for (unsigned thread = 0; thread < THREADS; thread++)
        open->pending[thread] = tree->live & bit(thread) ? tree->actor[thread].operation : 0;
    for (uint32_t index = tree->frames; index-- > 0;) {
        struct frame *frame = &tree->frame[index];
        count = find_at(tree, facts, index, count);
        if (index == 0)
            break;
        frame[-1].exceeded |= frame->exceeded;
        step_back(tree, index);
    }
    while (count-- > 0 && !tree->full) {
        open->found[count].serial = ++open->serial;
        fringe_add(tree, &open->found[count]);
    }
    open->unsettled = false;
}

/* ---- from one branch to another ---- */

/* The frame at the top leaves the stack. What was tried at the one below sleeps there from now on. */
static void leave(struct tree *tree, struct bpor_tree_facts *facts)
{
    struct frame *frame = &tree->frame[tree->frames - 1];
    uint32_t number = *way_top(tree);
    const struct open_node *node = &tree->open.node[number];
    tree_finish_choice(tree, frame, facts);
    open_node_keep(tree, number, frame);
    if (!node->open && !node->children)
        open_node_free(tree, number);
    tree->sleepers = frame->sleepers;
    if (--tree->frames) {
        history_pop(tree);
        tree_finish_choice(tree, &frame[-1], facts);
    }
}

/* Puts back the state of a node that comes behind the one at the top of the stack. */
static void enter(struct tree *tree, struct bpor_tree_facts *facts, uint32_t number)
{
    const struct open_node *node = &tree->open.node[number];
    struct frame *before = &tree->frame[tree->frames - 1];
    struct told_step *step = &tree->open.told;
    if (!open_node_is_intact(tree, number)) {
        tree_fail(tree, "what was still to be explored was written over");
        return;
    }
    strip_take(&tree->open, node->strip, step);
    step->enabled = before->enabled;
    step->hash = step_hash(tree->depth ? tree->step[tree->depth - 1].step_hash : BPOR_FIRST_HASH, step,
                           history_operation(tree, step->thread)->kind);
    tree_choose_again(tree, facts, step->thread);
    facts->schedule[tree->depth] = step->thread;
    history_push(tree, step);
    if (tree->full)
        return;
    struct frame *frame = &tree->frame[tree->frames++];
    *frame = (struct frame){
        .enabled = node->enabled,
        .timed = node->timed,
        .backtrack = node->backtrack,
        .conservative = node->conservative,
        .done = node->done,
        .whole = node->whole,
        .raced = node->raced,
        .exceeded = node->exceeded,
        .refused = node->refused,
        .watches = node->watches,
        .last = step->thread,
        .chosen = NO_THREAD,
        .block = tree->frames - 1,
    };
    rule_enter(tree, frame, before, step);
    sleep_again(tree, before, frame, node->asleep);
    *way_top(tree) = number;
}

/* Puts the stack on the branch of a node. */
static void go_to(struct tree *tree, struct bpor_tree_facts *facts, uint32_t number)
{
    struct open *open = &tree->open;
    uint32_t depth = open->node[number].depth, common = 0;
    for (uint32_t i = depth + 1, at = number; i-- > 0; at = open->node[at].parent)
        open->going[i] = at;
    while (common < tree->frames && common <= depth && open->way[common] == open->going[common])
        common++;
    while (tree->frames > common)
        leave(tree, facts);
    for (uint32_t i = common; i <= depth && !tree->full; i++)
        enter(tree, facts, open->going[i]);
}

/* ---- the next execution ---- */

static enum next_run finish(struct tree *tree, struct bpor_tree_facts *facts)
{
    while (tree->frames)
        leave(tree, facts);
    if (tree->open.alive || tree->open.shelf.bundles)
        tree_fail(tree, "choices that were still open were written over");
    facts->depth = tree->depth;
    facts->finished = !tree->full;
    return NOTHING_LEFT;
}

enum next_run open_next(struct tree *tree, struct bpor_tree_facts *facts, struct known *known)
{
    struct open *open = &tree->open;
    uint32_t patience = WALKS_AT_ONCE;
    struct open_choice choice;
    while (!tree->full) {
        if (open->unsettled && !names_are_known(tree))
            return ASK_NAMES;
        if (open->unsettled)
            settle(tree, facts);
        if (open->shelf.request)
            return ASK_SHELF;
        if (cold_is_crowded(open)) {
            cold_put_away(tree);
            continue;
        }
        if (patience == 0)
            return PAUSE;
        if (!fringe_take(open, &choice))
            return finish(tree, facts);
        if (!fringe_is_open(open, &choice))
            continue;
        if (is_bundle(&choice)) {
            if (!shelf_take(tree, &choice))
                fringe_add(tree, &choice); /* until it was read */
            continue;
        }
        go_to(tree, facts, choice.node);
        if (tree->full)
            break;
        struct frame *frame = &tree->frame[tree->frames - 1];
        open->node[choice.node].open &= ~bit(choice.thread);
        open->unsettled = true;
        if (!rule_allows(tree, frame, choice.thread)) {
            tree_refuse(frame, facts);
            continue;
        }
        tree_choose_again(tree, facts, choice.thread);
        if (known && known_walk(known, tree, facts)) {
            patience--;
            continue;
        }
        return tree_execute(tree, facts);
    }
    return PAUSE;
}
