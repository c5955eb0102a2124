/* Learning: every execution enters what is new in it into the table of known steps, and is compared with what is not.
 *
 * A step's key is the hash of its event as its pending operation announces it: the causal past of its thread, and what it will
 * find at its objects. Whether a pending operation is enabled is looked up too, by the same past; for a mutex it is enough to
 * know who holds it, which the history counts. So nothing here knows what an operation does. */
#include "engine/known.h"
#include "engine/question.h"
#include <string.h>

static void contradict(struct known *known, const struct tree *tree, uint64_t site)
{
    if (known->contradicts)
        return;
    known->contradicts = true;
    known->where = tree->depth;
    known->site = site;
}

/* Timeouts are asked for by the search over graphs alone, which recognises states behind them and does not walk along them. */
static bool may_be_known(const struct tree *tree, const struct told_step *told)
{
    bool timed = tree->frame[tree->frames - 1].timed || told->flags & BPOR_FLAG_TIMEOUT;
    return (!timed || tree->by_graphs) && known_words_of(told) < KNOWN_LONGEST;
}

/* Did the step change nothing, though its operation announced that it may? */
static bool only_looked(const struct tree *tree, const struct told_step *told)
{
    const struct announced *operation = history_operation(tree, told->thread);
    bool announced = false;
    for (uint32_t i = 0; i < operation->count; i++)
        announced |= writes(tree->touch[operation->first + i]);
    for (unsigned i = 0; i < told->accesses; i++)
        if (told->access[i].write)
            return false;
    return announced;
}

/* A step that ends the process, though its operation does not say so, has everything in its past: a crash in what follows it. */
uint64_t known_ending_key(const struct tree *tree, uint64_t key)
{
    key = bpor_mix(key, tree_trace_hash(tree) | 1);
    return key ? key : 1;
}

uint64_t known_step_key(const struct tree *tree, unsigned thread, bool looks)
{
    uint64_t key = history_key(tree, thread, looks);
    key = tree->order.fair_bound == BPOR_UNBOUNDED ? key : bpor_mix(key, BPOR_UNBOUNDED);
    return key ? key : 1;
}

void known_learn_step(struct known *known, const struct tree *tree, const struct told_step *told)
{
    unsigned kind = history_operation(tree, told->thread)->kind;
    known->learned |= !may_be_known(tree, told);
    if (!may_be_known(tree, told))
        return;
    known_make_room(known);
    bool announced = !told->ends_process || bpor_properties(kind) & ENDS;
    uint64_t key = known_step_key(tree, told->thread, tree->by_graphs && only_looked(tree, told));
    if (!announced) {
        key = known_ending_key(tree, key);
        known->no_endings = 0;
    }
    struct known_step *entry = known_find(known, key);
    struct words words = {&known->word[known->words], 0};
    if (!known_put_step(&words, tree, told))
        return;
    if (entry->key == key && known_proves_itself(known, entry)) {
        if (entry->count != words.count || memcmp(&known->word[entry->first], words.at, words.count * sizeof *words.at) != 0)
            contradict(known, tree, history_operation(tree, told->thread)->site);
        return;
    }
    known->learned = true;
    known->steps.used += entry->key == 0;
    *entry = (struct known_step){key, known_check(known, key, (uint32_t)known->words, words.count), (uint32_t)known->words,
                                 words.count};
    known->words += words.count;
}

/* The state of a thread's pending operation, as far as it decides whether it is enabled, with the answer. */
static uint64_t answer_to(uint64_t question, bool enabled)
{
    uint64_t key = bpor_mix(question, enabled);
    return key ? key : 1;
}

uint64_t known_answer_key(const struct tree *tree, unsigned thread, bool enabled)
{
    return answer_to(history_question(tree, thread), enabled);
}

bool known_may_be_enabled(struct known *known, uint64_t question)
{
    return !known_has_key(&known->answer, answer_to(question, false));
}

void known_learn_state(struct known *known, const struct tree *tree, uint64_t ready)
{
    EACH_THREAD (thread, tree->live) {
        bool enabled = ready & bit(thread);
        if (known_has_key(&known->answer, known_answer_key(tree, thread, !enabled)))
            contradict(known, tree, 0);
        known_add_key(known, &known->answer, known_answer_key(tree, thread, enabled));
    }
}

/* `stranded`: it did not come to its end, and may go on where less was spent on it. */
uint64_t known_trace_key(const struct tree *tree, bool stranded)
{
    uint64_t key = stranded ? bpor_mix(tree_trace_hash(tree), 1) : tree_trace_hash(tree);
    key = tree->order.fair_bound == BPOR_UNBOUNDED ? key : bpor_mix(key, BPOR_UNBOUNDED);
    return key ? key : 1;
}

/* Does the execution exceed the bound that a leading search ignores? Then it is not counted. If that was a mistake (least.c gives
 * up early), the search within the bound executes it again. */
static bool is_outside(struct known *known, const struct tree *tree)
{
    uint32_t cost = tree->frame[tree->frames - 1].cost;
    return tree->leads && cost > tree->leads_within && !least_within(known, tree, tree->leads_within);
}

bool known_learn_end(struct known *known, struct tree *tree, enum bpor_outcome how)
{
    bool whole = how == BPOR_OUTCOME_EXIT, repeats = how == BPOR_OUTCOME_REDUNDANT || how == BPOR_OUTCOME_OVER_BOUND;
    bool stranded = how == BPOR_OUTCOME_OVER_BOUND && rule_strands(tree);
    tree->outside = !repeats && is_outside(known, tree);
    tree->led |= tree->leads && !repeats && (!whole || tree->outside);
    bool new = (whole || stranded) && !tree->outside &&known_add_key(known, &known->trace, known_trace_key(tree, stranded));
    known->executed++;
    bool checked = known->checks && !known->learned && !new;
    known->checked += checked;
    known->checks = known->learned = false;
    return checked;
}
