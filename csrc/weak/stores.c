/* The stores of each place, newest first. */
#include "runtime/reserve.h"
#include "weak/weak.h"

static struct {
    uint32_t count;
    uint32_t unused; /* index + 1 */
    uint32_t serial;
    struct store store[MOST_STORES];
} * kept;

void weak_stores_reserve(void)
{
    kept = bpor_reserve(sizeof *kept);
}

struct store *weak_store(uint32_t number)
{
    return &kept->store[number - 1];
}

static uint32_t new_store(void)
{
    uint32_t number = kept->unused;
    if (number)
        kept->unused = weak_store(number)->older;
    else if (kept->count < MOST_STORES)
        number = ++kept->count;
    else
        bpor_end(BPOR_OUTCOME_REFUSED, 0, "more than 16384 stores are remembered; --memory sc does without");
    *weak_store(number) = (struct store){.serial = ++kept->serial};
    return number;
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
    location->stores = 0;
}

void bpor_weak_forget(uintptr_t address, size_t bytes)
{
    struct location *location = NULL;
    while ((location = bpor_location_overlapping(location, address, bytes)) != NULL)
        bpor_weak_forget_stores(location);
}

uint32_t weak_newest(struct location *location, const struct memory_access *access)
{
    if (location->stores)
        return location->stores;
    struct memory_access look = {.address = access->address, .size = access->size, .form = FORM_LOAD};
    bpor_memory_apply(&look);
    location->stores = new_store();
    struct store *store = weak_store(location->stores);
    store->value = look.old;
    store->is_first = true;
    return location->stores;
}

/* Of a place that was stored to very often, nobody is offered the oldest any more. */
static void drop_oldest(uint32_t newest)
{
    unsigned count = 1;
    for (uint32_t i = newest; i; i = weak_store(i)->older)
        if (++count > WEAK_STORES) {
            if (weak_store(i)->older)
                bpor->shared->weak_dropped = 1;
            forget_from(weak_store(i)->older);
            weak_store(i)->older = 0;
            return;
        }
}

uint32_t weak_stored(struct thread *thread, struct location *location, value128 value)
{
    uint32_t number = new_store();
    struct store *store = weak_store(number);
    store->value = value;
    store->older = location->stores;
    store->step = (uint32_t)bpor->steps + 1;
    store->thread = thread->id;
    store->local = thread->steps + 1;
    store->epoch = epoch_clock(bpor_race_epoch(thread));
    store->causes = *weak_causes(thread);
    location->stores = number;
    drop_oldest(number);
    return number;
}
