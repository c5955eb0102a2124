/* Sleep: which threads need not be tried at a state, because what they would do was explored before and nothing since depends on
 * it.
 *
 * Our rule differs from both published ones, which are incomplete under a preemption bound (errata E3, E4): if running a sleeper
 * starts a block, it watches everything it would do until it stops, not only its next step; and it also wakes when the mover's
 * *next* operation conflicts, because the mover may then be blocked, and leaving it becomes free. */
#include "engine/plan.h"
#include "engine/tree.h"

/* ---- what will wake the thread of this step once it sleeps at `frame`, as far as this execution shows ---- */

static void open_block(struct tree *tree, struct frame *frame)
{
    frame->watch = tree->block_watch = watch_new(tree);
    tree->block = ++tree->blocks;
}

static void extend_block(struct tree *tree, const struct pushed *step, bool dead)
{
    struct watch *watch = &tree->watch[tree->block_watch];
    for (uint32_t i = 0; i < step->touches; i++) {
        uint32_t touch = tree->touch[step->first_touch + i];
        struct cell *cell = &tree->cell[touched_cell(touch)];
        if (cell->block != tree->block) {
            cell->block = tree->block;
            watch_add(tree, tree->block_watch, touch);
        } else if (writes(touch)) {
            tree->chunk[cell->place / CHUNK_TOUCHES].touch[cell->place % CHUNK_TOUCHES] |= 1;
            watch->written |= bit(touched_cell(touch) % 64);
        }
    }
    watch->dead |= dead;
}

/* Under a fair bound nobody sleeps while somebody waits who may time out: any step may be the one that makes the state idle,
 * after which others cannot go on (erratum E48). */
static bool beside_timed(const struct tree *tree)
{
    return tree->waits_timed && tree->order.fair_bound != BPOR_UNBOUNDED;
}

static void note_watch(struct tree *tree, struct frame *frame, const struct told_step *told, const struct pushed *step)
{
    const struct announced *operation = &tree->operation[step->operation_before - 1];
    unsigned properties = bpor_properties(operation->kind);
    bool fair = !tree->releases_sleep;
    bool ends = told->ends_process || properties & ENDS;
    /* Under a fair bound an end is a release too: it may enable a joiner, and no access in its block shows it (erratum E28). */
    bool over = fair && told->finished;
    /* A timeout of an idle state and, under a fair bound, a release change who may run in ways no access shows (errata E22, E10).
     */
    bool never = ends || over || frame->timed & bit(told->thread) || (properties & RELEASE && !tree->releases_sleep);
    never |= beside_timed(tree) || (operation->timed && fair);
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

static void keep_asleep(struct tree *tree, struct frame *frame, struct sleeping sleeper, const struct pushed *step,
                        const struct announced *next)
{
    if (sleeper.thread == step->thread || wakes(tree, sleeper.watch, step, next))
        return;
    if (tree->sleepers == MAX_SLEEPERS) {
        tree_give_up(tree, "sleeping threads");
        return;
    }
    tree->sleeper[tree->sleepers++] = sleeper;
    frame->asleep |= bit(sleeper.thread);
}

static bool siblings_sleep(const struct tree *tree, const struct frame *frame, unsigned thread)
{
    return !(tree->order.flags & BPOR_TREE_ANY_ORDER && thread == frame->last);
}

static void inherit(struct tree *tree, const struct frame *before, const struct told_step *told, struct frame *frame)
{
    const struct pushed *step = &tree->step[tree->depth - 1];
    const struct announced *next = tree->watches_blocks ? history_operation(tree, told->thread) : NULL;
    frame->sleepers = tree->sleepers;
    if (told->ends_process || (next && bpor_properties(next->kind) & ENDS) || beside_timed(tree))
        return;
    for (int i = 0, count = __builtin_popcountll(before->asleep); i < count; i++)
        keep_asleep(tree, frame, tree->sleeper[before->sleepers + (uint32_t)i], step, next);
    if (siblings_sleep(tree, before, told->thread))
        for (uint32_t at = before->watches; at; at = tree->watch[at].next)
            keep_asleep(tree, frame, (struct sleeping){tree->watch[at].thread, at}, step, next);
}

/* The step that was just put on the history led from `before` to `frame`. */
void sleep_push(struct tree *tree, struct frame *before, const struct told_step *told, struct frame *frame)
{
    note_watch(tree, before, told, &tree->step[tree->depth - 1]);
    if (frame->free && tree->block) {
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

/* Everything below `thread` at `frame`, the top of the stack, was explored. */
void sleep_fall_asleep(struct tree *tree, struct frame *frame, unsigned thread)
{
    uint32_t number = frame->watch == WATCH_STEP ? watch_of_popped_step(tree) : frame->watch;
    frame->watch = WATCH_NONE;
    if (number == WATCH_NONE)
        return;
    struct watch *watch = &tree->watch[number];
    if (watch->open || watch->dead) {
        watch_free(tree, number);
        return;
    }
    watch->thread = thread;
    watch->next = frame->watches;
    frame->watches = number;
}

/* The frame leaves the stack. */
void sleep_forget(struct tree *tree, struct frame *frame)
{
    if (frame->watch != WATCH_NONE && frame->watch != WATCH_STEP)
        watch_free(tree, frame->watch);
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
    if (siblings_sleep(tree, frame, thread))
        for (uint32_t at = frame->watches; at; at = tree->watch[at].next)
            tell(tree, tree->watch[at].thread, at);
}
