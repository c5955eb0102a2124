/* Who uses the table of known steps, and what follows when it was wrong. */
#include "beside/table.h"
#include "beside/answer.h"
#include "beside/place.h"

enum { TABLE_TRIED_FOR = 512 /* executions, within which known steps are to answer something */ };

struct known *table_of(const struct tree *tree)
{
    struct known *known = &place(0)->known;
    return tree->knows && !known->contradicts ? known : NULL;
}

/* The table answers runs that repeat others. A search without a bound, and without another tree that uses the table, would
 * maintain it for nothing as long as no run repeats another; that costs a quarter of a short execution, and as much as all of it
 * once the table is large. So the table sleeps until the first such run is met; after turns with another tree, which executed
 * some of the traces, until the first that is executed in vain. Runs that it missed until then are merely executed. */
static bool table_sleeps(unsigned number)
{
    const struct tree *tree = &place(number)->tree;
    const struct bpor_tree_order *order = &tree->order;
    const struct bpor_tally *tally = &search->tree[number].tally;
    bool bounded = (order->preemption_bound & order->fair_bound & order->context_bound & order->delta_bound) != BPOR_UNBOUNDED;
    bool answers = tally->walked > 0 && !place(number)->took_turns;
    return tally->executions >= TABLE_TRIED_FOR && !answers && tally->ended[BPOR_OUTCOME_REDUNDANT] == 0 &&
           search->order.trees == bit(number) && tree->reduces && !tree->best_first && !tree->leads && !tree->causal && !bounded;
}

struct known *table_for(unsigned number)
{
    return table_sleeps(number) ? NULL : table_of(&place(number)->tree);
}

void table_was_wrong(uint32_t where, uint64_t site)
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
        answer_stop(BPOR_STOP_CONTRADICTED);
}
