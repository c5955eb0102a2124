/* A hint for the loop around an execution: has its state been met, by this execution or by others? */
#include "beside/key.h"
#include "beside/place.h"
#include "beside/search.h"
#include "runtime/runtime.h"

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
