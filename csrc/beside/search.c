/* The loop around the trees: whose turn it is, when to stop, what to tell.
 *
 * Invariant: an execution that was chosen stays chosen until it is learned, here or by the process that comes after this one; so
 * a target that dies in mid-execution loses nothing and nothing is counted twice. */
#define _GNU_SOURCE
#include "beside/search.h"
#include "beside/contradiction.h"
#include "beside/key.h"
#include "beside/names.h"
#include "beside/place.h"
#include "beside/tally.h"
#include "engine/plan.h"
#include "engine/tree.h"
#include "reset/checkpoints.h"
#include "reset/keeper.h"
#include "reset/litter.h"
#include "runtime/runtime.h"
#include "runtime/sys.h"
#include <string.h>
#include <time.h>

enum {
    LOOK_AT_CLOCK_EVERY = 1000, /* steps */
    WARM_EVERY = 4096,          /* bytes: a page, or less than one */
    TABLE_TRIED_FOR = 512       /* executions, within which known steps are to answer something */
};

struct bpor_search *search;

void bpor_search_attach(struct bpor_search *mapping)
{
    search = mapping;
    search->era++;
    key_take(search->stack, sizeof search->stack);
}

bool bpor_search_active(void)
{
    return search && search->exploring;
}

unsigned bpor_search_turn(void)
{
    return search->answer.tree % BPOR_TREES;
}

bool bpor_search_answered(void)
{
    bool answered = search && search->untold;
    if (answered)
        search->untold = 0;
    return answered;
}

struct bpor_event *bpor_search_log(void)
{
    return search->log;
}

/* The other tree, or an earlier level, may have executed it: it is one of this tree's too. */
void bpor_plan_walked(struct bpor_tree_facts *facts, bool whole, uint64_t trace_hash)
{
    facts->tally.walked++;
    search->total.walked++;
    if (whole)
        distinct_add(&facts->tally.traces, trace_hash, search->order.distinct_cap);
}

static uint64_t milliseconds(void)
{
    struct timespec now;
    sys_call3(SYS_clock_gettime, CLOCK_MONOTONIC, &now, 0);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void stop(enum bpor_answer_stop why)
{
    search->answer.stop = why;
    search->exploring = 0;
    search->untold = 1;
    for (unsigned i = 0; i < BPOR_TREES; i++)
        if (search->order.trees & bit(i)) {
            tree_estimate(&place(i)->tree, &search->tree[i]);
            below_tell(&place(i)->tree, &search->tree[i]);
            search->tree[i].leads = place(i)->tree.leads;
            search->tree[i].left_bound = place(i)->tree.leads && place(i)->tree.led;
            matching_tell(&place(i)->tree, &search->tree[i]);
            open_tell(&place(i)->tree, &search->tree[i]);
            cartesian_tell(&place(i)->tree, &search->tree[i]);
        }
}

/* The program has written over the search: nothing it says can be believed. */
static void damaged(void)
{
    bpor->shared->end.outcome = BPOR_OUTCOME_DAMAGED;
    search->answer.tree = 0;
    search->answer.stop = BPOR_STOP_TROUBLE;
    search->exploring = 0;
    search->untold = 1;
}

static void begin_tree(unsigned number)
{
    struct tree *tree = &place(number)->tree;
    struct optimal *optimal = &place(number)->optimal;
    struct bpor_tree_facts *facts = &search->tree[number];
    const struct bpor_tree_order *order = &search->order.tree[number];
    uint64_t refused = order->flags & BPOR_TREE_GOES_ON ? facts->refused : 0;
    memset(facts, 0, offsetof(struct bpor_tree_facts, tally));
    facts->refused = refused;
    facts->root = order->below;
    if (!(order->flags & BPOR_TREE_GOES_ON))
        tally_begin(&facts->tally);
    if (order->flags & BPOR_TREE_OPTIMAL)
        optimal_begin(optimal, tree, order);
    else if (order->sample)
        sampling_begin(&place(number)->sampling, tree, order);
    else
        tree_begin(tree, order);
    if (order->below)
        below_begin(tree, facts->handed);
}

/* The table of known steps, where this tree may have used it. */
static struct known *table_of(const struct tree *tree)
{
    struct known *known = &place(0)->known;
    return tree->knows && !known->contradicts ? known : NULL;
}

/* The table answers runs that repeat others. A search without a bound, and without another tree that uses the table, would
 * maintain it for nothing as long as no run repeats another; that costs a quarter of a short execution. So the table sleeps until
 * the first such run is met. Runs that it missed until then are merely executed. */
static bool table_sleeps(unsigned number)
{
    const struct tree *tree = &place(number)->tree;
    const struct bpor_tree_order *order = &tree->order;
    const struct bpor_tally *tally = &search->tree[number].tally;
    bool bounded = (order->preemption_bound & order->fair_bound & order->context_bound & order->delta_bound) != BPOR_UNBOUNDED;
    return tally->executions >= TABLE_TRIED_FOR && tally->walked == 0 && tally->ended[BPOR_OUTCOME_REDUNDANT] == 0 &&
           search->order.trees == bit(number) && tree->reduces && !tree->best_first && !tree->leads && !tree->causal && !bounded;
}

static struct known *known_for(unsigned number)
{
    return table_sleeps(number) ? NULL : table_of(&place(number)->tree);
}

/* The table was wrong, and so may be every stack that was built with it: those trees begin anew, without it. */
static void begin_without_table(uint32_t where, uint64_t site)
{
    bool in_parts = false;
    EACH_THREAD (number, search->order.trees) {
        struct bpor_tree_facts *facts = &search->tree[number];
        struct tree *tree = &place(number)->tree;
        if (!tree->knows)
            continue;
        in_parts |= tree->order.flags & BPOR_TREE_IN_PARTS;
        tree_begin_anew(tree, facts);
        facts->contradicted = where + 1;
        facts->contradicted_site = site;
    }
    place(0)->known.contradicts = true;
    search->answer.executions++;
    if (in_parts)
        stop(BPOR_STOP_CONTRADICTED);
}

/* Once a clock was read, clocks are part of the identities, and there are more such facts (bpor_past). The states that this tree
 * knows are then worthless, and the tree begins anew. */
static bool begins_with_past(unsigned number)
{
    bool begins = place(number)->tree.matches && place(number)->past_read != bpor->shared->past_read;
    place(number)->past_read = bpor->shared->past_read;
    if (begins)
        tree_begin_anew(&place(number)->tree, &search->tree[number]);
    return begins;
}

/* A page of ours that is touched first while the program runs would look like one that the program has written (faults.h). */
static void warm_up(void *table, size_t bytes)
{
    volatile uint8_t *byte = table;
    for (size_t at = 0; at < bytes; at += WARM_EVERY)
        byte[at] = byte[at];
}

/* Where bpor_search_seems_known looks. */
static void warm_up_tables(struct matching *matching)
{
    warm_up(place(0)->met, sizeof place(0)->met);
    warm_up(matching->node_slot, sizeof matching->node_slot);
    warm_up(matching->entries.slot, sizeof matching->entries.slot);
}

void bpor_search_begin(void)
{
    struct bpor_order *order = &search->order;
    struct bpor_answer *answer = &search->answer;
    search->sealed &= ~order->begin;
    bool intact = intact_trees(); /* those that the last process left, if it died in an execution */
    if (order->begin_total) {
        tally_begin(&search->total);
        known_forget(&place(0)->known, order->narrowed);
        answer->inferred = answer->orders = 0;
    }
    for (unsigned i = 0; i < BPOR_TREES; i++)
        if (order->begin & bit(i)) {
            begin_tree(i);
            place(i)->past_read = bpor->shared->past_read;
            if (place(i)->tree.matches)
                warm_up_tables(&place(i)->tree.matching);
        } else if (order->trees & bit(i))
            below_raise(&place(i)->tree, search->tree[i].root);
    if (search->names.answered && place(0)->tree.best_first)
        names_take(&place(0)->tree);
    if (search->shelf.answered && place(0)->tree.best_first)
        open_shelf_answered(&place(0)->tree);
    search->shelf.answered = 0;
    if (order->trees & 1 && place(0)->tree.by_cartesian)
        share_begin(&place(0)->tree, &search->tree[0], order);
    if (order->begin)
        bpor_checkpoints_forget();
    order->begin = order->begin_total = 0; /* done: a process that goes on with this order must not do it again */
    search->exploring = 1;
    search->untold = 0;
    answer->stop = BPOR_STOP_NONE;
    place(0)->deadline = milliseconds() + order->milliseconds;
    place(0)->steps_since = 0;
    if (!intact)
        damaged();
}

/* Tree 0 while it is not ahead, as the default search wants it. */
static unsigned turn(void)
{
    if (search->order.trees == 1 || (search->order.trees & 1 && search->answer.lead <= 0))
        return 0;
    return 1;
}

/* An execution counts, and so do many runs that needed none: walking takes time too. A tree that had nothing to do here, because
 * others have its parts, is not owed those turns later: the other would have to wait for them. */
static void take_turn(void)
{
    if (search->order.trees == (bit(0) | bit(1)))
        search->answer.lead += search->answer.tree == 0 ? 1 : -1;
}

static bool time_is_up(void)
{
    uint64_t *since = &place(0)->steps_since;
    if (bpor_keeper_active() && *since < LOOK_AT_CLOCK_EVERY)
        return false;
    *since = 0;
    bpor_litter_drop_output();
    return milliseconds() >= place(0)->deadline;
}

/* Threads share something whose uses are no operations yet. The controller will begin the search again with those uses as
 * operations. */
static bool found_shared_state(void)
{
    return search->order.flags & BPOR_ORDER_STOP_AT_SHARED_STATE &&
           bpor->shared->shared_state & ~bpor->shared->config.process_state;
}

static bool budget_is_used(void)
{
    return search->answer.executions >= search->order.executions || search->stop_now || found_shared_state() ||
           (search->order.flags & BPOR_ORDER_RECORD && search->answer.records == BPOR_RECORDS) || time_is_up();
}

static void run(unsigned number)
{
    place(0)->run++;
    if (optimal_of(number))
        optimal_plan(optimal_of(number), &place(number)->tree, &search->tree[number]);
    else if (sampling_of(number))
        sampling_plan(sampling_of(number), &place(number)->tree, &search->tree[number]);
    else
        tree_plan(&place(number)->tree, &search->tree[number], place(0)->locating);
    intact_seal();
}

void bpor_search_again(void)
{
    if (bpor_search_active())
        intact_seal();
}

static void complain(const struct tree *tree)
{
    struct bpor_end *end = &bpor->shared->end;
    end->outcome = tree->wrong ? BPOR_OUTCOME_INTERNAL : BPOR_OUTCOME_UNFIT;
    strncpy(end->message, tree->why, sizeof end->message - 1);
    stop(BPOR_STOP_TROUBLE);
}

static enum next_run next_of(unsigned number)
{
    struct tree *tree = &place(number)->tree;
    if (optimal_of(number))
        return optimal_next(optimal_of(number), tree, &search->tree[number]);
    if (sampling_of(number))
        return sampling_next(sampling_of(number), tree, &search->tree[number]);
    return tree_next(tree, &search->tree[number], known_for(number));
}

static void stop_for_names(struct tree *tree)
{
    names_ask(tree);
    stop(BPOR_STOP_NAMES);
}

static void stop_for_shelf(struct open *open)
{
    const struct open_shelf *shelf = &open->shelf;
    uint64_t page = (uint64_t)(open->page - (uint8_t *)search);
    search->shelf = (struct bpor_shelf){shelf->request, 0, shelf->offset, shelf->bytes, page};
    stop(BPOR_STOP_SHELF);
}

bool bpor_search_next(void)
{
    if (!search->exploring)
        return false;
    key_unlock();
    enum next_run next = PAUSE;
    while (search->exploring && next == PAUSE) {
        unsigned number = search->answer.tree = turn();
        struct tree *tree = &place(number)->tree;
        begins_with_past(number);
        next = next_of(number);
        if (next == PAUSE) {
            place(0)->steps_since = LOOK_AT_CLOCK_EVERY;
            take_turn();
        }
        if (tree->full)
            complain(tree);
        else if (next == NOTHING_LEFT)
            stop(BPOR_STOP_FINISHED);
        else if (next == LEFT_BOUND)
            stop(BPOR_STOP_BUDGET);
        else if (next == ASK_NAMES)
            stop_for_names(tree);
        else if (next == ASK_SHELF)
            stop_for_shelf(&tree->open);
        else if (budget_is_used())
            stop(BPOR_STOP_BUDGET);
        else if (next == EXECUTE)
            run(number);
    }
    return search->exploring;
}

/* Was this node passed by the execution that runs? It is, from now on. */
static bool passes_again(struct identity node)
{
    struct met *met = place(0)->met;
    uint32_t slot = (uint32_t)(bpor_mix(node.low, node.high) >> 20) % MET_SLOTS;
    for (unsigned tries = 0; tries < MET_TRIES; tries++, slot = (slot + 1) % MET_SLOTS) {
        if (met[slot].run != place(0)->run) {
            met[slot] = (struct met){node, place(0)->run};
            return false;
        }
        if (identity_equals(met[slot].node, node))
            return true;
    }
    return false;
}

static bool seems_known(uint64_t low, uint64_t high, unsigned last, uint32_t spent)
{
    struct tree *tree = &place(search->answer.tree)->tree;
    struct identity identity = identity_with((struct identity){low, high}, search->era);
    for (unsigned i = 0; tree->order.fair_bound != BPOR_UNBOUNDED && i < bpor->threads; i++)
        if (bpor->thread[i].state == THREAD_WAITING)
            identity = matching_yields(identity, bpor->thread[i].yields, bpor->thread[i].circles);
    struct identity node = matching_node(tree, identity, last == BPOR_NO_THREAD ? NO_THREAD : last);
    return tree->matches && (matching_seems_known(tree, node, spent) || passes_again(node));
}

bool bpor_search_seems_known(uint64_t low, uint64_t high, unsigned last, uint32_t spent)
{
    uint32_t rights = key_look_begin();
    bool known = seems_known(low, high, last, spent);
    key_look_end(rights);
    return known;
}

/* ---- after an execution ---- */

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
    distinct_add(&search->tree[search->answer.tree].tally.states, hash, cap);
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
    if (!known_for(search->answer.tree))
        count_state(tree, tree->depth - 1);
    search->answer.orders |= 1u << operation->order;
    if (step->inferred)
        note_inferred(operation->site);
}

static void record(const struct bpor_tree_facts *facts, unsigned how)
{
    struct bpor_record *record = &search->record[search->answer.records++];
    uint64_t hash = 0;
    for (uint64_t i = 0; i < facts->depth; i++)
        hash = bpor_mix(hash, facts->schedule[i]);
    *record = (struct bpor_record){hash, bpor->shared->end.hash, how, (uint32_t)facts->depth};
}

static bool is_notable(unsigned how)
{
    uint32_t flags = search->order.flags;
    return how == BPOR_OUTCOME_REFUSED || how == BPOR_OUTCOME_WATCHDOG || (tally_is_bug(how) && flags & BPOR_ORDER_STOP_AT_BUG) ||
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
    take_turn();
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
    take_turn();
    place(0)->steps_since += bpor->shared->end.steps;
    if (tree->full)
        complain(tree);
    else if (!bpor_keeper_active() && bpor_litter_left())
        stop(BPOR_STOP_LITTER);
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

void bpor_search_learn(void)
{
    struct bpor_end *end = &bpor->shared->end;
    bool intact = intact_trees(); /* in any case: from here on they can be written */
    if (!intact || end->outcome == BPOR_OUTCOME_DAMAGED || !intact_counts() || !intact_log()) {
        damaged();
        return;
    }
    if (met_weaker())
        return;
    struct bpor_tree_facts *facts = &search->tree[search->answer.tree];
    struct tree *tree = &place(search->answer.tree)->tree;
    struct known *known = known_for(search->answer.tree);
    bool may_contradict = table_of(tree) != NULL; /* it has a part in the stack */
    struct optimal *optimal = optimal_of(search->answer.tree);
    if (place(0)->locating && may_contradict) {
        uint32_t where = contradiction_in(tree, search->log, bpor->shared->events);
        place(0)->locating = false;
        begin_without_table(where, where < tree->depth ? pushed_operation(tree, where)->site : 0);
        return;
    }
    if (end->outcome == BPOR_OUTCOME_DIVERGED && may_contradict) {
        place(0)->locating = tree->depth > 0; /* once more, with its steps */
        if (!place(0)->locating)
            begin_without_table((uint32_t)end->code, 0);
        return;
    }
    if (unusable(end->outcome)) {
        stop(BPOR_STOP_TROUBLE);
        return;
    }
    if (optimal && optimal->asking) {
        learn_answer(optimal, tree, facts, &place(search->answer.tree)->reader);
        return;
    }
    if (begins_with_past(search->answer.tree)) {
        search->answer.executions++;
        return;
    }
    if (bpor->shared->offers && (tree->knows || tree->matches || tree->best_first || tree->by_graphs ||
                                 tree->by_cartesian)) { /* none knows that a step may go another way */
        tree_give_up(tree, "alternatives");
        complain(tree);
        return;
    }
    unsigned how = tally_index(end);
    bool over = tally_is_complete(how); /* nothing is enabled after the end */
    place(search->answer.tree)->reader.era = search->era;
    struct sampling *drawn = sampling_of(search->answer.tree);
    struct lesson lesson = {tree,         facts,
                            optimal,      drawn,
                            known,        over && how != BPOR_OUTCOME_DEADLOCK,
                            learned_step, tree->best_first ? names_called : NULL};
    uint32_t depth = tree->depth, leading = facts->begun || !tree->order.below ? 0 : tree->order.below - 1; /* to a subtree */
    uint32_t needed = leading + (depth > 0 || leading > 0);
    facts->learning = 1;
    uint64_t steps = reader_learn(&place(search->answer.tree)->reader, &lesson, search->log, bpor->shared->events,
                                  over ? 0 : end->enabled[0], over ? 0 : end->timed[0], ends_in_segment(how));
    if (place(search->answer.tree)->reader.stopped) {
        how = place(search->answer.tree)->reader.stopped; /* whatever came of it */
        over = false;
    }
    const struct known *table = &place(0)->known;
    if (may_contradict && (table->contradicts || (steps < needed && over))) {
        begin_without_table(table->contradicts ? table->where : depth + (uint32_t)steps, table->site);
        return;
    }
    if (steps < needed && over) {
        facts->learning = 0;
        end->outcome = BPOR_OUTCOME_DIVERGED;
        end->code = (int32_t)(depth + steps);
        stop(BPOR_STOP_TROUBLE);
        return;
    }
    if (tree->full) {
        complain(tree);
        return;
    }
    end_execution(tree, facts, how);
    if (tree->by_cartesian)
        how = cartesian_outcome(tree, how);
    if (tree->full) {
        complain(tree);
        return;
    }
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
    if (is_notable(how))
        stop(BPOR_STOP_NOTABLE);
    else if (!bpor_keeper_active() && bpor_litter_left())
        stop(BPOR_STOP_LITTER);
}

void bpor_search_save(unsigned number)
{
    const struct tree *tree = &place(number % BPOR_TREES)->tree;
    uint64_t *words = (uint64_t *)search->log, room = sizeof search->log / (sizeof *words);
    key_unlock(); /* it may be the first that a new process is asked */
    search->answer.saved = number < BPOR_TREES ? tree_save(tree, words, room) : matching_save(tree, words, room);
}
