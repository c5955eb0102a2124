/* What an execution that is over has shown. */
#include "beside/answer.h"
#include "beside/contradiction.h"
#include "beside/names.h"
#include "beside/place.h"
#include "beside/search.h"
#include "beside/table.h"
#include "beside/tally.h"
#include "reset/checkpoints.h"
#include "reset/keeper.h"
#include "reset/litter.h"
#include "runtime/runtime.h"

static bool unusable(enum bpor_outcome outcome)
{
    return outcome == BPOR_OUTCOME_NEEDS_FORK || outcome == BPOR_OUTCOME_MORE_SLOTS || outcome == BPOR_OUTCOME_DIVERGED ||
           outcome == BPOR_OUTCOME_INTERNAL || outcome == BPOR_OUTCOME_UNFIT || outcome == BPOR_OUTCOME_NEEDS_EXEC;
}

static bool ends_in_segment(unsigned how)
{
    return tally_is_bug(how) && how != BPOR_OUTCOME_DEADLOCK && how != BPOR_OUTCOME_EXIT;
}

static void count_state(const struct tree *tree, uint32_t step)
{
    uint64_t hash = tree->step[step].hash, cap = search->order.states_cap;
    unsigned number = search->answer.tree;
    bool counted = !distinct_add(&search->tree[number].tally.states, hash, cap);
    if (!counted || !place(number)->in_total)
        distinct_add(&search->total.states, hash, cap);
}

/* With a table the states of whole traces count, and all of them do: who came to a state first, and whether the leader was
 * outside of the bound by then, depends on the order in which traces were executed, and so on the number of workers. */
static void count_states(const struct tree *tree, uint32_t before, bool whole)
{
    uint32_t first = whole ? 0 : tree->leads ? tree->depth : before;
    for (uint32_t step = first; step < tree->depth && !tree->outside; step++)
        count_state(tree, step);
}

static void note_inferred(uint64_t site)
{
    struct bpor_answer *answer = &search->answer;
    for (unsigned i = 0; i < answer->inferred; i++)
        if (answer->site[i] == site)
            return;
    if (answer->inferred < BPOR_INFERRED_SITES)
        answer->site[answer->inferred++] = site;
}

static void learned_step(const struct tree *tree)
{
    const struct pushed *step = &tree->step[tree->depth - 1];
    const struct announced *operation = &tree->operation[step->operation_before - 1];
    if (!table_for(search->answer.tree))
        count_state(tree, tree->depth - 1);
    search->answer.orders |= 1u << operation->order;
    if (step->inferred)
        note_inferred(operation->site);
}

static void record(const struct bpor_tree_facts *facts, unsigned how)
{
    struct bpor_record *record = &search->record[search->answer.records++];
    *record = (struct bpor_record){schedule_rank(facts), bpor->shared->end.hash, how, (uint32_t)facts->depth};
}

static bool is_notable(const struct bpor_tree_facts *facts, unsigned how, uint64_t way)
{
    uint32_t flags = search->order.flags;
    bool bug = tally_is_bug(how), news = bug && ways_note(&place(0)->ways, way, facts, &bpor->shared->end);
    return how == BPOR_OUTCOME_REFUSED || how == BPOR_OUTCOME_WATCHDOG || news || (bug && flags & BPOR_ORDER_STOP_AT_BUG) ||
           (how == BPOR_OUTCOME_STEP_LIMIT && flags & BPOR_ORDER_STOP_AT_STEP_LIMIT);
}

static void count_execution(struct tree *tree, struct bpor_tree_facts *facts, unsigned how, uint64_t steps)
{
    struct bpor_answer *answer = &search->answer;
    const struct bpor_end *end = &bpor->shared->end;
    uint64_t hash = tree_trace_hash(tree), cap = search->order.distinct_cap;
    tally_ended(&facts->tally, how, hash, steps, end, cap);
    tally_ended(&search->total, how, hash, steps, end, cap);
    answer->executions++;
    answer_count_turn();
    answer->first = facts->depth - steps;
    place(0)->steps_since += end->steps;
    if (search->order.flags & BPOR_ORDER_RECORD)
        record(facts, how);
}

/* An execution that told what a thread does in some state. */
static void learn_answer(struct optimal *optimal, struct tree *tree, struct bpor_tree_facts *facts, struct reader *reader)
{
    bool ran = reader_answer(reader, search->log, bpor->shared->events);
    facts->learning = 1;
    optimal_answer(optimal, tree, facts, reader->access, reader->accesses, ran, ends_in_segment(tally_index(&bpor->shared->end)));
    facts->learning = 0;
    facts->tally.asked++;
    search->total.asked++;
    search->answer.executions++;
    answer_count_turn();
    place(0)->steps_since += bpor->shared->end.steps;
    if (tree->full)
        answer_complain(tree);
    else if (!bpor_keeper_active() && bpor_litter_left())
        answer_stop(BPOR_STOP_LITTER);
}

static void end_execution(struct tree *tree, struct bpor_tree_facts *facts, unsigned how)
{
    struct optimal *optimal = optimal_of(search->answer.tree);
    if (optimal)
        optimal_end(optimal, tree, facts, tally_is_complete(how), how == BPOR_OUTCOME_REDUNDANT);
    else if (sampling_of(search->answer.tree))
        sampling_end(sampling_of(search->answer.tree), tree, facts);
    else
        tree_end(tree, facts, how);
}

/* The first execution that had anything weaker than seq_cst is run again, because what came before was not kept (weak.h). */
static bool met_weaker(void)
{
    bool first = bpor->shared->weaker == BPOR_WEAKER_NOW;
    if (first) {
        bpor->shared->weaker = BPOR_WEAKER_MET;
        bpor_checkpoints_forget();
    }
    return first;
}

/* The table of known steps has a part in the stack, and the execution went another way. It is run once more, with its steps, to
 * see where. */
static bool table_shown_wrong(const struct tree *tree)
{
    const struct bpor_end *end = &bpor->shared->end;
    if (table_of(tree) == NULL || !(place(0)->locating || end->outcome == BPOR_OUTCOME_DIVERGED))
        return false;
    if (place(0)->locating) {
        uint32_t where = contradiction_in(tree, search->log, bpor->shared->events);
        place(0)->locating = false;
        table_was_wrong(where, where < tree->depth ? pushed_operation(tree, where)->site : 0);
    } else {
        place(0)->locating = tree->depth > 0;
        if (!place(0)->locating)
            table_was_wrong((uint32_t)end->code, 0);
    }
    return true;
}

/* Steps may go another way in this program, and the tree knows nothing of it. */
static bool lacks_alternatives(const struct tree *tree)
{
    return bpor->shared->offers && (tree->knows || tree->matches || tree->best_first || tree->by_graphs || tree->by_cartesian);
}

/* True: the execution has no steps for the tree, and what follows from it was done. */
static bool taught_otherwise(struct tree *tree, struct bpor_tree_facts *facts)
{
    struct optimal *optimal = optimal_of(search->answer.tree);
    if (table_shown_wrong(tree))
        return true;
    if (unusable(bpor->shared->end.outcome))
        answer_stop(BPOR_STOP_TROUBLE);
    else if (optimal && optimal->asking)
        learn_answer(optimal, tree, facts, &place(search->answer.tree)->reader);
    else if (begins_with_past(search->answer.tree))
        search->answer.executions++;
    else if (lacks_alternatives(tree)) {
        tree_give_up(tree, "alternatives");
        answer_complain(tree);
    } else
        return false;
    return true;
}

/* It ended before its first new step: the program did something else than before. */
static void diverged(struct bpor_tree_facts *facts, uint64_t where)
{
    struct bpor_end *end = &bpor->shared->end;
    facts->learning = 0;
    end->outcome = BPOR_OUTCOME_DIVERGED;
    end->code = (int32_t)where;
    answer_stop(BPOR_STOP_TROUBLE);
}

static void learn_execution(struct tree *tree, struct bpor_tree_facts *facts)
{
    struct bpor_end *end = &bpor->shared->end;
    struct reader *reader = &place(search->answer.tree)->reader;
    struct known *known = table_for(search->answer.tree);
    bool may_contradict = table_of(tree) != NULL; /* it has a part in the stack */
    unsigned how = tally_index(end);
    bool over = tally_is_complete(how); /* nothing is enabled after the end */
    reader->era = search->era;
    struct sampling *drawn = sampling_of(search->answer.tree);
    struct lesson lesson = {tree,
                            facts,
                            optimal_of(search->answer.tree),
                            drawn,
                            known,
                            over && how != BPOR_OUTCOME_DEADLOCK,
                            learned_step,
                            tree->best_first ? names_called : NULL};
    uint32_t depth = tree->depth, leading = facts->begun || !tree->order.below ? 0 : tree->order.below - 1; /* to a subtree */
    uint32_t needed = leading + (depth > 0 || leading > 0);
    facts->learning = 1;
    uint64_t steps = reader_learn(reader, &lesson, search->log, bpor->shared->events, over ? 0 : end->enabled[0],
                                  over ? 0 : end->timed[0], ends_in_segment(how));
    if (reader->stopped) {
        how = reader->stopped; /* whatever came of it */
        over = false;
    }
    const struct known *table = &place(0)->known;
    if (may_contradict && (table->contradicts || (steps < needed && over))) {
        table_was_wrong(table->contradicts ? table->where : depth + (uint32_t)steps, table->site);
        return;
    }
    if (steps < needed && over) {
        diverged(facts, depth + steps);
        return;
    }
    uint64_t way = tally_is_bug(how) ? way_of(tree, how, end) : 0;
    if (!tree->full)
        end_execution(tree, facts, how);
    if (tree->full) {
        answer_complain(tree);
        return;
    }
    if (tree->by_cartesian)
        how = cartesian_outcome(tree, how);
    bool checked = known && known_learn_end(known, tree, over ? BPOR_OUTCOME_EXIT : how);
    if (known)
        count_states(tree, depth, over);
    facts->tally.checked += checked;
    search->total.checked += checked;
    if (tree->outside)
        how = BPOR_OUTCOME_OVER_BOUND; /* likewise */
    count_execution(tree, facts, how, drawn ? tree->depth : steps - leading);
    facts->learning = 0;
    search->answer.outcome = how;
    if (is_notable(facts, how, way))
        answer_stop(BPOR_STOP_NOTABLE);
    else if (!bpor_keeper_active() && bpor_litter_left())
        answer_stop(BPOR_STOP_LITTER);
}

void bpor_search_learn(void)
{
    bool sealed = search->sealed, intact = intact_trees(); /* in any case: from here on they can be written */
    if (!sealed || !intact || bpor->shared->end.outcome == BPOR_OUTCOME_DAMAGED || !intact_counts() || !intact_log()) {
        answer_damaged();
        return;
    }
    struct tree *tree = &place(search->answer.tree)->tree;
    struct bpor_tree_facts *facts = &search->tree[search->answer.tree];
    if (!met_weaker() && !taught_otherwise(tree, facts))
        learn_execution(tree, facts);
}
