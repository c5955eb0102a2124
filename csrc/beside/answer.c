/* How a batch ends: everything that the answer tells beside the counts. */
#include "beside/answer.h"
#include "beside/names.h"
#include "beside/place.h"
#include "beside/search.h"
#include "runtime/runtime.h"
#include <string.h>

void answer_stop(enum bpor_answer_stop why)
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

void answer_damaged(void)
{
    bpor->shared->end.outcome = BPOR_OUTCOME_DAMAGED;
    search->answer.tree = 0;
    search->answer.stop = BPOR_STOP_TROUBLE;
    search->exploring = 0;
    search->untold = 1;
}

void answer_complain(const struct tree *tree)
{
    struct bpor_end *end = &bpor->shared->end;
    end->outcome = tree->wrong ? BPOR_OUTCOME_INTERNAL : BPOR_OUTCOME_UNFIT;
    strncpy(end->message, tree->why, sizeof end->message - 1);
    answer_stop(BPOR_STOP_TROUBLE);
}

void answer_ask_names(struct tree *tree)
{
    names_ask(tree);
    answer_stop(BPOR_STOP_NAMES);
}

void answer_ask_shelf(struct open *open)
{
    const struct open_shelf *shelf = &open->shelf;
    uint64_t page = (uint64_t)(open->page - (uint8_t *)search);
    search->shelf = (struct bpor_shelf){shelf->request, 0, shelf->offset, shelf->bytes, page};
    answer_stop(BPOR_STOP_SHELF);
}

void answer_count_turn(void)
{
    unsigned number = search->answer.tree % BPOR_TREES;
    if (search->order.trees != (bit(0) | bit(1)))
        return;
    search->answer.lead += number == 0 ? 1 : -(int64_t)search->order.weight;
    place(number)->took_turns = true;
}
