/* The stores of each place, newest first. A store that is inserted before newer ones gets a rank between those of its neighbours.
 */
#include "runtime/reserve.h"
#include "weak/weak.h"

enum { RANK_BITS = 32 }; /* between two appended stores: so often can one be put right after the same one */

static struct {
    uint32_t count;
    uint32_t unused; /* index + 1 */
    uint32_t appended;
    struct store store[MOST_STORES];
} * kept;
static uint32_t *clocks; /* three of each */

void weak_stores_reserve(void)
{
    kept = bpor_reserve_kept(sizeof *kept);
    clocks = weak_clocks_reserve(3 * MOST_STORES);
}

static void set_clocks(uint32_t index, uint32_t width)
{
    struct store *store = &kept->store[index];
    store->released = clocks + (size_t)3 * index * width;
    store->read_epoch = store->released + width;
    store->causes = store->read_epoch + width;
}

void weak_stores_widen(void)
{
    weak_clocks_widen(clocks, (size_t)3 * kept->count);
    for (uint32_t i = 0; i < kept->count; i++)
        set_clocks(i, 2 * weak_width);
}

void weak_stores_begin(void)
{
    kept->count = kept->unused = kept->appended = 0;
}

void weak_stores_new_thread(unsigned thread)
{
    for (uint32_t i = 0; i < kept->count; i++) {
        struct store *store = &kept->store[i];
        store->released[thread] = store->read_epoch[thread] = store->causes[thread] = 0;
    }
}

struct store *weak_store(uint32_t number)
{
    return &kept->store[number - 1];
}

/* What it has released and what it follows is for the caller. 0: there is no room. */
static uint32_t new_store(void)
{
    uint32_t number = kept->unused;
    if (number)
        kept->unused = weak_store(number)->older;
    else if (kept->count < MOST_STORES)
        number = ++kept->count;
    else
        return 0;
    struct store *store = weak_store(number);
    store->older = store->step = store->epoch = store->local = 0;
    store->thread = 0;
    store->is_first = store->attached = false;
    set_clocks(number - 1, weak_width);
    weak_clear(store->read_epoch);
    return number;
}

static uint64_t next_rank(void)
{
    return (uint64_t)++kept->appended << RANK_BITS;
}

uint64_t weak_rank_after(uint32_t number, uint32_t newer)
{
    if (newer == 0)
        return next_rank();
    uint64_t below = weak_store(number)->rank, between = (weak_store(newer)->rank - below) / 2;
    return between ? below + between : 0;
}

static void forget_from(uint32_t number)
{
    while (number) {
        uint32_t older = weak_store(number)->older;
        weak_store(number)->older = kept->unused;
        kept->unused = number;
        number = older;
    }
}

void bpor_weak_forget_stores(struct location *location)
{
    forget_from(location->stores);
    location->stores = location->store_count = 0;
}

void bpor_weak_forget(uintptr_t address, size_t bytes)
{
    struct location *location = NULL;
    while ((location = bpor_location_overlapping(location, address, bytes)) != NULL)
        bpor_weak_forget_stores(location);
}

/* A plain write, or code that is not instrumented, may have changed what is there: then that was there before everything. A plain
 * write that leaves the value as it was needs nothing: without a race, who has seen it has seen every store before it. */
uint32_t weak_newest(struct location *location, const struct memory_access *access)
{
    value128 value = bpor_memory_look(access->address, access->size);
    if (location->stores && weak_store(location->stores)->value == value)
        return location->stores;
    bpor_weak_forget_stores(location);
    location->stores = new_store();
    if (location->stores) {
        struct store *store = weak_store(location->stores);
        store->value = value;
        store->rank = next_rank();
        store->is_first = true;
        weak_clear(store->released);
        weak_clear(store->causes);
        location->store_count = 1;
    }
    return location->stores;
}

/* How many stores a thread can still reach. One that comes later has seen what its creator has. */
static unsigned reach_of(const struct thread *thread, uint32_t newest)
{
    unsigned count = 1;
    for (uint32_t i = newest; weak_store(i)->older && !weak_hides_older(thread, weak_store(i)); i = weak_store(i)->older)
        count++;
    return count;
}

static unsigned reach_of_all(uint32_t newest)
{
    unsigned most = 1;
    for (unsigned i = 0; i < bpor->threads; i++) {
        unsigned count = bpor->thread[i].state == THREAD_FINISHED ? 0 : reach_of(&bpor->thread[i], newest);
        most = most < count ? count : most;
    }
    return most;
}

/* Of a place that was stored to very often: what nobody reaches is forgotten, and if that is not enough the oldest. */
static void drop_oldest(struct location *location)
{
    if (location->store_count < WEAK_STORES)
        return;
    unsigned keep = reach_of_all(location->stores);
    if (keep >= WEAK_STORES) {
        keep = WEAK_STORES - 1;
        bpor->shared->weak_dropped = 1;
    }
    uint32_t last = location->stores;
    location->store_count = keep;
    while (--keep)
        last = weak_store(last)->older;
    forget_from(weak_store(last)->older);
    weak_store(last)->older = 0;
}

uint32_t weak_stored(struct thread *thread, struct location *location, uint32_t after, value128 value)
{
    uint32_t number = new_store(), newer = 0;
    if (number == 0)
        return 0;
    for (uint32_t i = location->stores; i != after; i = weak_store(i)->older)
        newer = i;
    struct store *store = weak_store(number);
    store->value = value;
    store->rank = weak_rank_after(after, newer);
    store->older = after;
    store->step = (uint32_t)bpor->steps + 1;
    store->thread = thread->id;
    store->local = thread->steps + 1;
    weak_copy(store->causes, weak_causes(thread)->at);
    *(newer ? &weak_store(newer)->older : &location->stores) = number;
    location->store_count++;
    drop_oldest(location);
    return number;
}
