/* Only the history of a tree is used, to count distinct traces. It holds the last execution. The steps that were forced there are
 * forced in the next execution too: they are compared and not reported again, like the prefix of a systematic search. */
#include "beside/sampling.h"
#include "engine/plan.h"

void sampling_begin(struct sampling *sampling, struct tree *tree, const struct bpor_tree_order *order)
{
    tree_begin(tree, order);
    *sampling = (struct sampling){.number = order->sample_number, .longest = order->sample_longest};
}

enum next_run sampling_next(const struct sampling *sampling, struct tree *tree, struct bpor_tree_facts *facts)
{
    while (!facts->running && tree->depth > sampling->forced)
        history_pop(tree);
    facts->depth = tree->depth;
    facts->running = true;
    return EXECUTE;
}

void sampling_plan(const struct sampling *sampling, const struct tree *tree, const struct bpor_tree_facts *facts)
{
    struct bpor_plan plan = {
        .preemption_bound = BPOR_UNBOUNDED,
        .fair_bound = BPOR_UNBOUNDED,
        .context_bound = BPOR_UNBOUNDED,
        .delta_bound = BPOR_UNBOUNDED,
        .max_steps = tree->order.max_steps,
        .prefix_length = tree->depth,
        .report_from = tree->depth,
        .flags = tree->depth ? BPOR_PLAN_CHECK_HASH : 0,
        .hashed = tree->depth,
        .prefix_hash = tree->depth ? tree->step[tree->depth - 1].step_hash : 0,
        .sample = tree->order.sample,
        .sample_depth = tree->order.sample_depth,
        .sample_longest = sampling->longest,
        .sample_seed = bpor_scatter(bpor_scatter(tree->order.sample_seed) ^ sampling->number),
    };
    bpor_plan_set(&plan, facts->schedule);
}

static bool is_forced(const struct told_step *step)
{
    return step->enabled == bit(step->thread) && step->alternatives == 0;
}

void sampling_step(struct sampling *sampling, struct tree *tree, struct bpor_tree_facts *facts, const struct told_step *step)
{
    if (sampling->forced == tree->depth && is_forced(step))
        sampling->forced++;
    if (step->thread >= THREADS || !tree->actor[step->thread].operation) {
        tree_fail(tree, "a thread ran that had nothing to do");
        return;
    }
    facts->schedule[tree->depth] = (uint16_t)choice_of(step->thread, step->alternative);
    history_push(tree, step);
}

void sampling_end(struct sampling *sampling, struct tree *tree, struct bpor_tree_facts *facts)
{
    sampling->number++;
    if (sampling->longest < tree->depth)
        sampling->longest = tree->depth;
    facts->longest = sampling->longest;
    facts->depth = tree->depth;
    facts->running = false;
    if (sampling->forced == tree->depth && tree->depth)
        sampling->forced--; /* an execution that tells no step tells nothing */
}
