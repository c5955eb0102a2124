/* The walk along known steps: a run of the search that shows nothing new is not executed.
 *
 * Everything an execution could show has been shown: each step, with the same causal past, by some execution; a whole trace by
 * one that came to its end. A run that ends earlier is part of a whole trace, unless the bound strands it, that is, may forbid
 * every way to go on: then it counts as a trace of its own. So data races, which are pairs of steps, are seen too.
 *
 * All that rests on threads that see nothing outside of their causal past. So some runs are executed all the same, and compared
 * with the table step by step: spot checks. */
#include "engine/known.h"
#include "engine/plan.h"

enum {
    CHECKED_OF = 40, /* one of so many runs, and not more than one for so many executions; ... */
    FIRST_AT = 20    /* ... none before so many: a search takes at most 1.05 executions for each trace */
};

/* Whether each pending operation is enabled. False: of one it is not known. */
static bool look_up_ready(struct known *known, const struct tree *tree, uint64_t *ready)
{
    *ready = 0;
    EACH_THREAD (thread, tree->live) {
        if (known_has_key(&known->answer, known_answer_key(tree, thread, true)))
            *ready |= bit(thread);
        else if (!known_has_key(&known->answer, known_answer_key(tree, thread, false)))
            return false;
    }
    return true;
}

static bool was_executed(struct known *known, const struct tree *tree, bool stranded)
{
    return known_has_key(&known->trace, known_trace_key(tree, stranded));
}

/* The state that a known step has led to. False: only an execution can tell. Waits that may time out do so where nobody can run,
 * or where the fair bound lets nobody run: the table does not know them. Nor does it know whether keeping a thread waiting loses
 * schedules: that the runtime finds out. */
static bool state_is_known(struct known *known, const struct tree *tree, bool ends, uint64_t *ready)
{
    *ready = 0;
    if (ends)
        return was_executed(known, tree, false);
    if (!look_up_ready(known, tree, ready))
        return false;
    if (*ready == 0)
        return was_executed(known, tree, false);
    return tree->order.fair_bound == BPOR_UNBOUNDED || (!tree->waits_timed && !rule_blocks_somebody(tree, *ready));
}

static bool end_run(struct tree *tree, struct bpor_tree_facts *facts, enum bpor_outcome how)
{
    bpor_plan_walked(facts, how == BPOR_OUTCOME_EXIT, tree_trace_hash(tree));
    tree_end(tree, facts, how);
    return true;
}

/* The choice at the top of the stack is to be executed. Would a search that leads leave the bound with it? */
static void look_outside(struct known *known, struct tree *tree)
{
    const struct frame *frame = &tree->frame[tree->frames - 1];
    const struct announced *operation = history_operation(tree, frame->chosen);
    if (!tree->leads)
        return;
    tree->led |= tree->waits_timed != 0; /* the table is of little use then: leading would cost executions */
    if (tree->led || rule_cost(tree, frame, frame->chosen) <= tree->leads_within)
        return;
    struct told_step step = {.thread = frame->chosen, .access = known->pool, .accesses = operation->count};
    for (uint32_t i = 0; i < operation->count; i++) {
        uint32_t touch = tree->touch[operation->first + i];
        const struct cell *cell = &tree->cell[touched_cell(touch)];
        known->pool[i] = (struct bpor_access){cell->object, cell->size, writes(touch)};
    }
    history_push(tree, &step);
    if (!tree->full) {
        tree->led = !least_within(known, tree, tree->leads_within);
        history_pop(tree);
    }
}

/* The step that ends the process here, unannounced; NULL: there is none. */
static const struct known_step *ending_at(struct known *known, const struct tree *tree, uint64_t key)
{
    if (known->no_endings == KNOWN_NO_ENDINGS)
        return NULL;
    const struct known_step *entry = known_find(known, known_ending_key(tree, key));
    return entry->key ? entry : NULL;
}

bool known_take(struct known *known, const struct tree *tree, unsigned thread)
{
    uint64_t key = known_step_key(tree, thread, false);
    const struct known_step *ending = ending_at(known, tree, key), *entry = ending ? ending : known_find(known, key);
    bool ends = ending || bpor_properties(history_operation(tree, thread)->kind) & ENDS;
    if (entry->key == 0 && tree->by_graphs)
        entry = known_find(known, known_step_key(tree, thread, true));
    if (!entry->key || !known_proves_itself(known, entry) || !known_take_step(known, entry, tree, thread))
        return false;
    known->told.ends_process = ends;
    return true;
}

bool known_walk_step(struct known *known, struct tree *tree, struct bpor_tree_facts *facts)
{
    const struct frame *frame = &tree->frame[tree->frames - 1];
    uint64_t ready;
    if (frame->timed || tree->depth + 2 >= tree->order.max_steps || !known_take(known, tree, frame->chosen))
        return false;
    tree_step(tree, facts, &known->told);
    if (tree->full)
        return false;
    if (!state_is_known(known, tree, known->told.ends_process, &ready)) {
        history_pop(tree);
        return false;
    }
    tree_state(tree, &known->told, ready, 0);
    return true;
}

/* As if the last step had not been walked. The points that it added stay: its execution adds them again. */
static void step_back(struct tree *tree)
{
    struct frame *before = &tree->frame[tree->frames - 2];
    sleep_forget(tree, &before[1]);
    if (tree->best_first)
        open_undo(tree);
    tree->frames--;
    if (before->watch != WATCH_NONE && before->watch != WATCH_STEP) {
        watch_free(tree, before->watch);
        before->watch = WATCH_NONE;
    }
    history_pop(tree);
}

/* The bound allows no thread that is awake. */
static bool end_early(struct known *known, struct tree *tree, struct bpor_tree_facts *facts)
{
    enum bpor_outcome how = rule_why_nobody(tree, &tree->frame[tree->frames - 1]);
    if (how == BPOR_OUTCOME_OVER_BOUND && rule_strands(tree) && !was_executed(known, tree, true)) {
        step_back(tree);
        return false;
    }
    return end_run(tree, facts, how);
}

static bool walk(struct known *known, struct tree *tree, struct bpor_tree_facts *facts)
{
    while (known_walk_step(known, tree, facts)) {
        const struct frame *frame = &tree->frame[tree->frames - 1];
        if (!frame->enabled)
            return end_run(tree, facts, BPOR_OUTCOME_EXIT);
        known->refused += rule_refuses_somebody(tree, frame);
        unsigned thread = rule_initialize(tree, frame);
        if (thread == NO_THREAD)
            return end_early(known, tree, facts);
        tree_choose(tree, facts, thread);
    }
    return false;
}

/* The run itself decides, never a clock, so that a search can be repeated. An execution that the table could not have answered
 * causes no extra cost. */
static bool is_spot(const struct known *known, const struct tree *tree)
{
    uint64_t steps = tree->depth ? tree->step[tree->depth - 1].step_hash : 0;
    return bpor_mix(steps, tree->frame[tree->frames - 1].chosen) % CHECKED_OF == 0 &&
           known->checked < (known->executed + CHECKED_OF - FIRST_AT) / CHECKED_OF;
}

bool known_walk(struct known *known, struct tree *tree, struct bpor_tree_facts *facts)
{
    known->checks = is_spot(known, tree);
    bool walked = !known->checks && walk(known, tree, facts);
    if (!walked && !tree->full)
        look_outside(known, tree);
    return walked;
}
