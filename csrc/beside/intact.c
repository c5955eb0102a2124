/* Is the search as it was before the program ran? (seal.c says why we ask.) */
#include "beside/key.h"
#include "beside/place.h"
#include "beside/search.h"
#include "runtime/runtime.h"

/* `by_key`: nobody could write to the place of the tree. */
static uint64_t seal_of(unsigned number, bool by_key)
{
    const struct optimal *optimal = optimal_of(number);
    uint64_t seal = facts_seal(&search->tree[number]);
    if (by_key)
        return seal;
    seal = bpor_mix(seal, tree_seal(&place(number)->tree));
    const struct sampling *sampling = &place(number)->sampling;
    seal = bpor_mix(bpor_mix(bpor_mix(seal, sampling->number), sampling->longest), sampling->forced);
    return optimal ? bpor_mix(seal, optimal_seal(optimal, &place(number)->tree)) : seal;
}

/* The program runs from here on. */
void intact_seal(void)
{
    bool by_key = key_is_there();
    key_unlock(); /* it may be the second time */
    search->sealed = search->order.trees | (by_key ? BPOR_SEALED_BY_KEY : 0);
    frozen_begin();
    EACH_THREAD (number, search->order.trees)
        place(number)->seal = seal_of(number, by_key);
    frozen_end();
    search->counts_seal = counts_seal(&search->total, &search->answer);
    search->log_seal[0] = 0;
    key_lock();
}

bool intact_trees(void)
{
    bool intact = true, by_key = search->sealed & BPOR_SEALED_BY_KEY;
    key_unlock();
    EACH_THREAD (number, search->sealed % (1 << BPOR_TREES))
        intact &= place(number)->seal == seal_of(number, by_key);
    search->sealed = 0;
    return intact;
}

bool intact_counts(void)
{
    return search->exploring == 1 && search->untold == 0 && search->counts_seal == counts_seal(&search->total, &search->answer);
}

bool intact_log(void)
{
    uint32_t events = bpor->shared->events;
    uint64_t sum = 0;
    if (events > BPOR_LOG_EVENTS)
        return false;
    for (uint32_t i = 0; i < events; i++)
        sum = event_seal(&search->log[i], sum);
    return sum == search->log_seal[events % 2];
}

void bpor_search_seal_event(const struct bpor_event *event)
{
    uint32_t events = bpor->shared->events;
    search->log_seal[(events + 1) % 2] = event_seal(event, search->log_seal[events % 2]);
}
