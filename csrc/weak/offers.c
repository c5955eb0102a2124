/* The alternatives of an access: the stores that the memory model lets it read, or come right after, and that no other schedule
 * shows. */
#include "runtime/reserve.h"
#include "weak/weak.h"

struct weak_minds *weak_minds;

void weak_offers_reserve(void)
{
    weak_minds = bpor_reserve_kept(sizeof *weak_minds);
}

void weak_offers_begin(void)
{
    weak_minds->weaker = weak_minds->given_up = false;
    for (unsigned i = 0; i < bpor->threads && i < WEAK_THREADS; i++) {
        weak_minds->thread[i].old_reads = 0;
        weak_clear(weak_minds->thread[i].flushed.at);
    }
}

void weak_offers_new_thread(unsigned thread)
{
    weak_minds->thread[thread].old_reads = 0;
    for (unsigned i = 0; i < thread; i++)
        weak_minds->thread[i].flushed.at[thread] = 0;
}

void weak_give_up(void)
{
    weak_minds->given_up = true;
    bpor->shared->weak_dropped = 1;
}

uint64_t weak_old_read(const struct thread *thread, const struct location *location, const struct store *store)
{
    uint64_t where = bpor_mix(thread->op.site, bpor_call_hash(thread));
    return bpor_mix(bpor_mix(where, location->number), store->rank);
}

/* A loop that reads old once reads the newest then: repetitions are not tried. */
static bool was_read_as_old(const struct thread *thread, const struct location *location, const struct store *store)
{
    const struct mind *mind = weak_mind(thread);
    bool was = mind->old_reads == WEAK_OLD_READS;
    for (uint32_t i = 0; i < mind->old_reads; i++)
        was |= mind->old_read[i] == weak_old_read(thread, location, store);
    if (was)
        bpor->shared->weak_dropped = 1;
    return was;
}

/* C11: did the store, or a load of it, happen before? Then nothing older is read. */
static bool is_floor(const struct thread *thread, const struct store *store)
{
    const struct clock *seen = bpor_race_seen(thread);
    if (store->is_first || seen->at[store->thread] >= store->epoch)
        return true;
    for (unsigned i = 0; i < bpor->threads; i++)
        if (store->read_epoch[i] && seen->at[i] >= store->read_epoch[i])
            return true;
    return false;
}

/* TSO: can the thread's loads not pass it? */
static bool has_reached(const struct thread *thread, const struct store *store)
{
    return store->is_first || store->thread == thread->id || weak_covers(weak_mind(thread)->flushed.at, store);
}

bool weak_hides_older(const struct thread *thread, const struct store *store)
{
    return weak_is_tso() ? has_reached(thread, store) : is_floor(thread, store);
}

/* Some newer store comes before the thread's last step (`passed`) or, if the access reads it, before the store itself: no other
 * schedule shows this. */
static bool is_truly_weak(const struct location *location, const struct memory_access *access, uint32_t number, bool passed)
{
    if (passed || access->form == FORM_STORE)
        return passed;
    for (uint32_t newer = location->stores; newer != number; newer = weak_store(newer)->older)
        if (weak_covers(weak_store(number)->causes, weak_store(newer)))
            return true;
    return false;
}

/* A compare-exchange that meets what it expects does not fail. */
bool weak_would_only_read(const struct memory_access *access, const struct store *store)
{
    if (access->form == FORM_LOAD)
        return true;
    return access->form == FORM_CAS && (store->value ^ access->expected) & value_mask(access->size);
}

static bool contradicts(const struct thread *thread, const struct location *location, const struct memory_access *access,
                        uint32_t number, uint32_t newer)
{
    const struct store *store = weak_store(number);
    bool only_reads = weak_would_only_read(access, store);
    int order = access->form == FORM_CAS && only_reads ? access->failure_order : access->order;
    if (!weak_is_tso() && weak_graph_has_no_say(order))
        return false;
    struct weak_event *event = weak_event_of(thread, location, order);
    event->source = access->form == FORM_STORE ? 0 : store->rank;
    event->stores = !only_reads;
    event->rank = only_reads ? 0 : weak_rank_after(number, newer);
    if (event->source && order_acquires(order))
        weak_join(event->seen, store->released);
    return !(weak_is_tso() ? weak_graph_allows_tso() : weak_graph_allows_c11());
}

/* Does another store fit between these two? */
static bool has_room(uint32_t number, uint32_t newer)
{
    if (weak_store(newer)->attached)
        return false;
    bool room = weak_rank_after(number, newer) != 0;
    if (!room)
        bpor->shared->weak_dropped = 1;
    return room;
}

/* `newer` comes right after the store and is no obstacle itself. `passed`: the thread follows something newer. */
static bool may_take(const struct thread *thread, const struct location *location, const struct memory_access *access,
                     uint32_t number, uint32_t newer, bool passed)
{
    const struct store *store = weak_store(number);
    bool only_reads = weak_would_only_read(access, store);
    if (!is_truly_weak(location, access, number, passed) || (!only_reads && !has_room(number, newer)))
        return false;
    return !contradicts(thread, location, access, number, newer) && !(only_reads && was_read_as_old(thread, location, store));
}

unsigned weak_offers(const struct thread *thread, struct location *location, const struct memory_access *access,
                     uint32_t offered[WEAK_STORES])
{
    unsigned count = 0;
    bool passed = false;
    uint32_t newer = location->stores;
    offered[count++] = newer;
    if (!weak_minds->weaker || (weak_is_tso() && access->form != FORM_LOAD))
        return count;
    for (uint32_t number = weak_store(newer)->older; number && !weak_hides_older(thread, weak_store(newer));
         newer = number, number = weak_store(number)->older) {
        if (weak_graph_is_full()) {
            bpor->shared->weak_dropped = 1;
            return count;
        }
        passed |= weak_covers(weak_causes(thread)->at, weak_store(newer));
        if (count < WEAK_STORES && may_take(thread, location, access, number, newer, passed))
            offered[count++] = number;
    }
    return count;
}
