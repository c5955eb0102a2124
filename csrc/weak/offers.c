/* What an access may take: stores that the model lets it read, or come right after, and that no other schedule shows. */
#include "runtime/reserve.h"
#include "weak/weak.h"

static struct {
    bool weaker;   /* an access or a fence weaker than seq_cst was there */
    bool given_up; /* there is no room for more */
    struct mind thread[WEAK_THREADS];
} * minds;

void weak_offers_reserve(void)
{
    minds = bpor_reserve_kept(sizeof *minds);
}

void weak_offers_begin(void)
{
    minds->weaker = minds->given_up = false;
    for (unsigned i = 0; i < bpor->threads && i < WEAK_THREADS; i++) {
        minds->thread[i].old_reads = 0;
        weak_clear(minds->thread[i].flushed.at);
    }
}

void weak_offers_new_thread(unsigned thread)
{
    minds->thread[thread].old_reads = 0;
    for (unsigned i = 0; i < thread; i++)
        minds->thread[i].flushed.at[thread] = 0;
}

struct mind *weak_mind(const struct thread *thread)
{
    return &minds->thread[thread->id];
}

bool weak_is_tso(void)
{
    return bpor->shared->config.memory == BPOR_MEMORY_TSO;
}

bool weak_only_watches(void)
{
    return bpor->shared->config.memory == BPOR_MEMORY_AUTO;
}

void weak_note_order(int order)
{
    if (order != __ATOMIC_SEQ_CST)
        minds->weaker = true;
}

void weak_give_up(void)
{
    minds->given_up = true;
    bpor->shared->weak_dropped = 1;
}

bool weak_gave_up(void)
{
    return minds->given_up;
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
    return store->is_first || store->thread == thread->id || weak_covers(&weak_mind(thread)->flushed, store);
}

bool weak_hides_older(const struct thread *thread, const struct store *store)
{
    return weak_is_tso() ? has_reached(thread, store) : is_floor(thread, store);
}

/* Some newer store comes before the thread's last step or, if the access reads it, before the store itself: no other schedule
 * shows this. */
static bool is_truly_weak(const struct thread *thread, const struct memory_access *access, uint32_t newest, uint32_t number)
{
    bool reads = access->form != FORM_STORE;
    for (uint32_t newer = newest; newer != number; newer = weak_store(newer)->older)
        if (weak_covers(weak_causes(thread), weak_store(newer)) ||
            (reads && weak_covers(&weak_store(number)->causes, weak_store(newer))))
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

/* `newer` comes right after the store and is no obstacle itself. */
static bool may_take(const struct thread *thread, const struct location *location, const struct memory_access *access,
                     uint32_t number, uint32_t newer)
{
    const struct store *store = weak_store(number);
    bool only_reads = weak_would_only_read(access, store);
    if (!is_truly_weak(thread, access, location->stores, number) || (!only_reads && !has_room(number, newer)))
        return false;
    return !contradicts(thread, location, access, number, newer) && !(only_reads && was_read_as_old(thread, location, store));
}

unsigned weak_offers(const struct thread *thread, struct location *location, const struct memory_access *access,
                     uint32_t offered[WEAK_STORES])
{
    unsigned count = 0;
    uint32_t newer = location->stores;
    offered[count++] = newer;
    if (!minds->weaker || (weak_is_tso() && access->form != FORM_LOAD))
        return count;
    for (uint32_t number = weak_store(newer)->older; number && !weak_hides_older(thread, weak_store(newer));
         newer = number, number = weak_store(number)->older) {
        if (weak_graph_is_full()) {
            bpor->shared->weak_dropped = 1;
            return count;
        }
        if (count < WEAK_STORES && may_take(thread, location, access, number, newer))
            offered[count++] = number;
    }
    return count;
}
