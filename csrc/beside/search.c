/* The loop around the trees: whose turn it is, and when to stop.
 *
 * Invariant: an execution that was chosen stays chosen until it is learned, here or by the process that comes after this one; so
 * a target that dies in mid-execution loses nothing and nothing is counted twice. */
#define _GNU_SOURCE
#include "beside/search.h"
#include "beside/answer.h"
#include "beside/key.h"
#include "beside/names.h"
#include "beside/place.h"
#include "beside/table.h"
#include "beside/tally.h"
#include "engine/plan.h"
#include "engine/tree.h"
#include "loops/retry.h"
#include "reset/checkpoints.h"
#include "reset/keeper.h"
#include "reset/litter.h"
#include "runtime/runtime.h"
#include "runtime/sys.h"
#include <string.h>
#include <time.h>

enum {
    LOOK_AT_CLOCK_EVERY = 1000, /* steps */
    WARM_EVERY = 4096           /* bytes: a page, or less than one */
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

static void begin_tree(unsigned number)
{
    struct tree *tree = &place(number)->tree;
    struct optimal *optimal = &place(number)->optimal;
    struct bpor_tree_facts *facts = &search->tree[number];
    const struct bpor_tree_order *order = &search->order.tree[number];
    bool goes_on = order->flags & BPOR_TREE_GOES_ON;
    uint64_t refused = goes_on ? facts->refused : 0;
    memset(facts, 0, offsetof(struct bpor_tree_facts, tally));
    facts->refused = refused;
    facts->root = order->below;
    if (!goes_on)
        tally_begin(&facts->tally);
    place(number)->in_total |= !goes_on;
    place(number)->took_turns &= goes_on;
    frozen_forget();
    if (order->flags & BPOR_TREE_OPTIMAL)
        optimal_begin(optimal, tree, order);
    else if (order->sample)
        sampling_begin(&place(number)->sampling, tree, order);
    else
        tree_begin(tree, order);
    if (order->below)
        below_begin(tree, facts->handed);
}

bool begins_with_past(unsigned number)
{
    bool begins = place(number)->tree.matches && place(number)->past_read != bpor->shared->past_read;
    place(number)->past_read = bpor->shared->past_read;
    if (begins)
        tree_begin_anew(&place(number)->tree, &search->tree[number]);
    return begins;
}

/* Which looks are for nothing is known better than when the tree began, or by another process, which knows something else. */
static uint64_t known_of_looks(void)
{
    uint32_t phase = bpor_retry_phase();
    return phase ? (uint64_t)search->era << 32 | phase : 0;
}

static void begin_with_looks(unsigned number)
{
    uint64_t looks = known_of_looks();
    if (looks == place(number)->looks)
        return;
    place(number)->looks = looks;
    tree_begin_anew(&place(number)->tree, &search->tree[number]);
    bpor_checkpoints_forget();
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
        for (unsigned i = 0; i < BPOR_TREES; i++)
            place(i)->in_total = false;
        known_forget(&place(0)->known, order->narrowed);
        answer->inferred = answer->orders = 0;
        place(0)->ways.count = 0;
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
        answer_damaged();
}

/* Tree 0 while it is not ahead, as the default search wants it. */
static unsigned turn(void)
{
    if (search->order.trees == 1 || (search->order.trees & 1 && search->answer.lead <= 0))
        return 0;
    return 1;
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

static enum next_run next_of(unsigned number)
{
    struct tree *tree = &place(number)->tree;
    if (optimal_of(number))
        return optimal_next(optimal_of(number), tree, &search->tree[number]);
    if (sampling_of(number))
        return sampling_next(sampling_of(number), tree, &search->tree[number]);
    return tree_next(tree, &search->tree[number], table_for(number));
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
        begin_with_looks(number);
        next = next_of(number);
        if (next == PAUSE) {
            place(0)->steps_since = LOOK_AT_CLOCK_EVERY;
            answer_count_turn();
        }
        if (tree->full)
            answer_complain(tree);
        else if (next == NOTHING_LEFT)
            answer_stop(BPOR_STOP_FINISHED);
        else if (next == LEFT_BOUND)
            answer_stop(BPOR_STOP_BUDGET);
        else if (next == ASK_NAMES)
            answer_ask_names(tree);
        else if (next == ASK_SHELF)
            answer_ask_shelf(&tree->open);
        else if (budget_is_used())
            answer_stop(BPOR_STOP_BUDGET);
        else if (next == EXECUTE)
            run(number);
    }
    return search->exploring;
}

void bpor_search_save(unsigned number)
{
    const struct tree *tree = &place(number % BPOR_TREES)->tree;
    uint64_t *words = (uint64_t *)search->log, room = sizeof search->log / (sizeof *words);
    key_unlock(); /* it may be the first that a new process is asked */
    search->answer.saved = number < BPOR_TREES ? tree_save(tree, words, room) : matching_save(tree, words, room);
}
