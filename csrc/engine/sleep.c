/* Sleep: which threads need not be tried at a state, because what they would do was explored before and nothing since depends on
 * it.
 *
 * Our rule differs from both published ones, which are incomplete under a preemption bound (errata E3, E4): if running a sleeper
 * starts a block, it watches everything it would do until it stops, not only its next step; and it also wakes when the mover's
 * *next* operation conflicts, because the mover may then be blocked, and leaving it becomes free.
 *
 * A thread is *whole* if everything it leads to was explored, whatever it costs: the bound refused nothing below it, and nothing
 * there was left to a sleeper that is not whole itself. It sleeps as in unbounded search. */
#include "engine/plan.h"
#include "engine/tree.h"

/* ---- what will wake the thread of this step once it sleeps at `frame`, as far as this execution shows ---- */

static void open_block(struct tree *tree, struct frame *frame)
{
    frame->watch = tree->block_watch = watch_new(tree);
    tree->block = ++tree->blocks;
}

static void extend_by(struct tree *tree, uint32_t touch)
{
    struct cell *cell = &tree->cell[touched_cell(touch)];
    if (cell->block != tree->block) {
        cell->block = tree->block;
        watch_add(tree, tree->block_watch, touch);
    } else if (writes(touch)) {
        tree->chunk[cell->place / CHUNK_TOUCHES].touch[cell->place % CHUNK_TOUCHES] |= 1;
        tree->watch[tree->block_watch].written |= bit(touched_cell(touch) % 64);
    }
}

static void extend_block(struct tree *tree, const struct pushed *step, bool dead)
{
    for (uint32_t i = 0; i < step->touches; i++)
        extend_by(tree, tree->touch[step->first_touch + i]);
    tree->watch[tree->block_watch].dead |= dead;
}

/* Under a fair bound nobody sleeps while somebody waits who may time out: any step may be the one that makes the state idle,
 * after which others cannot go on (erratum E48); nor under a delta bound, because others are enabled there who cost (E62). */
static bool beside_timed(const struct tree *tree)
{
    return tree->waits_timed && !tree->sleeps_beside_timed;
}

static void note_watch(struct tree *tree, struct frame *frame, const struct told_step *told, const struct pushed *step)
{
    const struct announced *operation = &tree->operation[step->operation_before - 1];
    unsigned properties = bpor_properties(operation->kind);
    bool ends = told->ends_process || properties & ENDS;
    /* Under a fair bound an end is a release too: it may enable a joiner, and no access in its block shows it (erratum E28). */
    bool over = told->finished && !tree->releases_sleep;
    /* A timeout of an idle state and, under a fair bound, a release change who may run in ways no access shows (errata E22, E10).
     */
    bool alone =
        ends || frame->timed & bit(told->thread) || beside_timed(tree) || (operation->timed && !tree->sleeps_beside_timed);
    bool never = alone || over || (properties & RELEASE && !tree->releases_sleep);
    frame->step_sleeps = !alone;
    frame->watch = never ? WATCH_NONE : WATCH_STEP;
    if (!tree->watches_blocks)
        return;
    if (frame->block == tree->depth - 1) {
        tree->block = 0;
        if (!never)
            open_block(tree, frame);
    }
    if (tree->block)
        extend_block(tree, step, ends || over || beside_timed(tree));
}

/* The execution is over: a watch that is still open stays so, hence unusable. */
void sleep_cut(struct tree *tree)
{
    tree->block = 0;
}

/* ---- who sleeps ---- */

static bool wakes(const struct tree *tree, uint32_t watch, const struct pushed *step, const struct announced *next)
{
    return watch_conflicts(tree, watch, &tree->touch[step->first_touch], step->touches) ||
           (next && watch_conflicts(tree, watch, &tree->touch[next->first], next->count));
}

static void lay_down(struct tree *tree, struct frame *frame, struct sleeping sleeper)
{
    if (tree->sleepers == MAX_SLEEPERS) {
        tree_give_up(tree, "sleeping threads");
        return;
    }
    tree->sleeper[tree->sleepers++] = sleeper;
    frame->asleep |= bit(sleeper.thread);
}

static void keep_asleep(struct tree *tree, struct frame *frame, struct sleeping sleeper, const struct pushed *step,
                        const struct announced *next)
{
    if (sleeper.thread != step->thread && !wakes(tree, sleeper.watch, step, next))
        lay_down(tree, frame, sleeper);
}

/* Does a thread that was tried at a frame sleep while another is? */
static bool sleeps_beside(const struct tree *tree, const struct frame *frame, unsigned sleeper, unsigned thread)
{
    if (frame->whole & bit(sleeper))
        return true;
    return !(tree->order.flags & BPOR_TREE_ANY_ORDER && thread == frame->last) &&
           rule_sleeps_beside(tree, frame, sleeper, thread);
}

static void inherit(struct tree *tree, const struct frame *before, const struct told_step *told, struct frame *frame)
{
    const struct pushed *step = &tree->step[tree->depth - 1];
    const struct announced *next = tree->wakes_next ? history_operation(tree, told->thread) : NULL;
    frame->sleepers = tree->sleepers;
    if (told->ends_process || (next && bpor_properties(next->kind) & ENDS) || beside_timed(tree))
        return;
    for (int i = 0, count = __builtin_popcountll(before->asleep); i < count; i++)
        keep_asleep(tree, frame, tree->sleeper[before->sleepers + (uint32_t)i], step, next);
    for (uint32_t at = before->cyclic ? 0 : before->watches; at; at = tree->watch[at].next)
        if (sleeps_beside(tree, before, tree->watch[at].thread, told->thread))
            keep_asleep(tree, frame, (struct sleeping){tree->watch[at].thread, at}, step, next);
    frame->whole = before->whole & frame->asleep;
}

/* A state that was left is restored: of the threads that may sleep in it, these slept when it was first reached. */
void sleep_again(struct tree *tree, const struct frame *before, struct frame *frame, uint64_t asleep)
{
    frame->sleepers = tree->sleepers;
    for (int i = 0, count = __builtin_popcountll(before->asleep); i < count; i++) {
        struct sleeping sleeper = tree->sleeper[before->sleepers + (uint32_t)i];
        if (asleep & bit(sleeper.thread))
            lay_down(tree, frame, sleeper);
    }
    for (uint32_t at = before->watches; at; at = tree->watch[at].next)
        if (asleep & bit(tree->watch[at].thread))
            lay_down(tree, frame, (struct sleeping){tree->watch[at].thread, at});
}

/* The thread that ran in the open block cannot go on. What would let it, if an access does, wakes it too (erratum E60). */
static void watch_wait(struct tree *tree, const struct frame *frame)
{
    const struct announced *operation = history_operation(tree, frame->last);
    if (operation == NULL)
        return; /* it has ended */
    for (uint32_t i = 0; i < operation->count; i++)
        extend_by(tree, tree->touch[operation->first + i]);
    tree->watch[tree->block_watch].dead |= frame->enabled & bit(frame->last) || operation->kind == OP_JOIN || operation->timed;
}

/* The step that was just put on the history led from `before` to `frame`. */
void sleep_push(struct tree *tree, struct frame *before, const struct told_step *told, struct frame *frame)
{
    note_watch(tree, before, told, &tree->step[tree->depth - 1]);
    if (frame->free && tree->block) {
        if (tree->watches_waits)
            watch_wait(tree, frame);
        tree->watch[tree->block_watch].open = false;
        tree->block = 0;
    }
    inherit(tree, before, told, frame);
}

/* The step of `frame` was popped just now; what it touched still lies above the top of the stack. */
static uint32_t watch_of_popped_step(struct tree *tree)
{
    const struct pushed *step = &tree->step[tree->depth];
    uint32_t watch = watch_new(tree);
    if (watch == WATCH_NONE)
        return watch;
    tree->watch[watch].open = false;
    for (uint32_t i = 0; i < step->touches; i++)
        watch_add(tree, watch, tree->touch[step->first_touch + i]);
    return watch;
}

/* The accesses that were recorded for the thread of a frame so far become part of its final watch. */
static uint32_t with_kept(struct tree *tree, struct frame *frame, uint32_t number)
{
    uint32_t kept = frame->kept;
    frame->kept = WATCH_NONE;
    if (kept == WATCH_NONE)
        return number;
    if (kept == WATCH_NEVER || number == WATCH_NONE) {
        uint32_t lost = kept == WATCH_NEVER ? number : kept;
        if (lost != WATCH_NONE)
            watch_free(tree, lost);
        return WATCH_NONE;
    }
    watch_merge(tree, number, kept);
    watch_free(tree, kept);
    return number;
}

/* The thread that began to run at `block` goes on otherwise: what it does then is watched too. */
static void reopen_block(struct tree *tree, struct frame *block)
{
    if (block->watch == WATCH_NONE || block->watch == WATCH_STEP)
        return;
    struct watch *watch = &tree->watch[block->watch];
    watch->dead |= watch->open; /* an execution was cut: not all is known */
    watch->open = true;
    tree->block_watch = block->watch;
    tree->block = ++tree->blocks;
    for (uint32_t at = watch->chunk; at; at = tree->chunk[at].next)
        for (uint32_t i = 0; i < tree->chunk[at].count; i++) {
            struct cell *cell = &tree->cell[touched_cell(tree->chunk[at].touch[i])];
            cell->block = tree->block;
            cell->place = at * CHUNK_TOUCHES + i;
        }
}

/* The thread being tried at `frame`, the top of the stack, takes another alternative. */
void sleep_go_on(struct tree *tree, struct frame *frame)
{
    uint32_t number = frame->watch == WATCH_STEP ? watch_of_popped_step(tree) : frame->watch;
    number = with_kept(tree, frame, number);
    frame->kept = number == WATCH_NONE ? WATCH_NEVER : number;
    frame->watch = WATCH_NONE;
    if (tree->watches_blocks && frame->block != (uint32_t)(frame - tree->frame))
        reopen_block(tree, &tree->frame[frame->block]);
}

/* Everything below `thread` at `frame`, the top of the stack, was explored. */
void sleep_fall_asleep(struct tree *tree, struct frame *frame, unsigned thread)
{
    bool whole = tree->knows_whole && !frame->partial && frame->step_sleeps;
    if (whole && frame->watch != WATCH_NONE && frame->watch != WATCH_STEP)
        watch_free(tree, frame->watch);
    uint32_t number = frame->watch;
    if (!frame->cyclic && (whole || number == WATCH_STEP))
        number = watch_of_popped_step(tree);
    frame->watch = WATCH_NONE;
    number = with_kept(tree, frame, number == WATCH_STEP ? WATCH_NONE : number);
    if (number == WATCH_NONE)
        return;
    struct watch *watch = &tree->watch[number];
    if (watch->open || watch->dead || frame->cyclic) { /* on a cycle nobody falls asleep: erratum E38 */
        watch_free(tree, number);
        return;
    }
    frame->whole |= whole ? bit(thread) : 0;
    watch->thread = thread;
    watch->next = frame->watches;
    frame->watches = number;
}

/* The frame leaves the stack. */
void sleep_forget(struct tree *tree, struct frame *frame)
{
    if (frame->watch != WATCH_NONE && frame->watch != WATCH_STEP)
        watch_free(tree, frame->watch);
    if (frame->kept != WATCH_NONE && frame->kept != WATCH_NEVER)
        watch_free(tree, frame->kept);
    while (frame->watches) {
        uint32_t watch = frame->watches;
        frame->watches = tree->watch[watch].next;
        watch_free(tree, watch);
    }
    tree->sleepers = frame->sleepers;
}

/* ---- the plan ---- */

static void tell(const struct tree *tree, unsigned thread, uint32_t number)
{
    const struct watch *watch = &tree->watch[number];
    bpor_plan_add_sleeper(thread, watch->count);
    for (uint32_t at = watch->chunk; at; at = tree->chunk[at].next)
        for (uint32_t i = 0; i < tree->chunk[at].count; i++) {
            uint32_t touch = tree->chunk[at].touch[i];
            const struct cell *cell = &tree->cell[touched_cell(touch)];
            bpor_plan_add_access((struct bpor_access){cell->object, cell->size, writes(touch)});
        }
}

static void tell_sleepers(const struct tree *tree, uint32_t first, uint64_t asleep)
{
    for (int i = 0, count = __builtin_popcountll(asleep); i < count; i++) {
        const struct sleeping *sleeper = &tree->sleeper[first + (uint32_t)i];
        tell(tree, sleeper->thread, sleeper->watch);
    }
}

/* Before the first execution of a subtree. */
void sleep_plan_given(const struct tree *tree)
{
    tell_sleepers(tree, 0, tree->given);
}

/* For the runtime, who filters them when it performs the step of `thread`. */
void sleep_plan(const struct tree *tree, const struct frame *frame, unsigned thread)
{
    tell_sleepers(tree, frame->sleepers, frame->asleep);
    for (uint32_t at = frame->cyclic ? 0 : frame->watches; at; at = tree->watch[at].next)
        if (sleeps_beside(tree, frame, tree->watch[at].thread, thread))
            tell(tree, tree->watch[at].thread, at);
}
