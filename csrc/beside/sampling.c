/* Of a tree only the history is used, to tell which traces are distinct: it holds the last execution. */
#include "beside/sampling.h"
#include "engine/plan.h"

void sampling_begin(struct sampling *sampling, struct tree *tree, const struct bpor_tree_order *order)
{
    tree_begin(tree, order);
    *sampling = (struct sampling){.number = order->sample_number, .longest = order->sample_longest};
}

enum next_run sampling_next(struct tree *tree, struct bpor_tree_facts *facts)
{
    while (!facts->running && tree->depth)
        history_pop(tree);
    if (!facts->running)
        facts->depth = 0;
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
        .sample = tree->order.sample,
        .sample_depth = tree->order.sample_depth,
        .sample_longest = sampling->longest,
        .sample_seed = bpor_scatter(bpor_scatter(tree->order.sample_seed) ^ sampling->number),
    };
    bpor_plan_set(&plan, facts->schedule);
}

void sampling_step(struct tree *tree, struct bpor_tree_facts *facts, const struct told_step *step)
{
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
}
