/* What a load is offered, and what becomes of the alternative that the schedule asks for. */
#include "runtime/reserve.h"
#include "weak/weak.h"
#include <string.h>

static struct {
    struct mind {
        struct causes flushed; /* TSO: the stores that its loads cannot pass */
        uint32_t old_reads;
        uint64_t old_read[WEAK_OLD_READS]; /* call site and store: not offered again until the thread changes something */
    } thread[WEAK_THREADS];
} * minds;

bool bpor_weak;

void bpor_weak_reserve(void)
{
    minds = bpor_reserve(sizeof *minds);
    weak_causes_reserve();
    weak_stores_reserve();
    weak_graph_reserve();
    bpor_weak = true;
}

static bool is_tso(void)
{
    return bpor->shared->config.memory == BPOR_MEMORY_TSO;
}

static struct mind *mind_of(const struct thread *thread)
{
    return &minds->thread[thread->id];
}

uint32_t bpor_weak_epoch(const struct thread *thread)
{
    return epoch_clock(bpor_race_epoch(thread));
}

static int order_of(const struct memory_access *access)
{
    return access->failed ? access->failure_order : access->order;
}

static struct weak_event event_of(const struct thread *thread, const struct location *location, int order)
{
    struct weak_event event = {
        .thread = thread->id,
        .order = (uint8_t)order,
        .epoch = bpor_weak_epoch(thread),
        .local = thread->steps + 1,
        .place = location ? location->number : 0,
    };
    memcpy(event.seen, bpor_race_seen(thread)->at, sizeof event.seen);
    return event;
}

/* ---- what is offered ---- */

static uint64_t old_read(const struct thread *thread, const struct store *store)
{
    return bpor_mix(bpor_mix(thread->op.site, bpor_call_hash(thread)), store->serial);
}

/* A loop that reads old once reads the newest then: repetitions are not tried. */
static bool was_read_as_old(const struct thread *thread, const struct store *store)
{
    const struct mind *mind = mind_of(thread);
    bool was = mind->old_reads == WEAK_OLD_READS;
    for (uint32_t i = 0; i < mind->old_reads; i++)
        was |= mind->old_read[i] == old_read(thread, store);
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
    return store->is_first || store->thread == thread->id || weak_covers(&mind_of(thread)->flushed, store);
}

/* May nothing be read that is older than this store? */
static bool hides_older(const struct thread *thread, const struct store *store)
{
    return is_tso() ? has_reached(thread, store) : is_floor(thread, store);
}

/* Some newer store comes before the thread's last step, or before the store itself: no other schedule shows this. */
static bool is_truly_weak(const struct thread *thread, uint32_t newest, uint32_t number)
{
    for (uint32_t newer = newest; newer != number; newer = weak_store(newer)->older)
        if (weak_covers(weak_causes(thread), weak_store(newer)) || weak_covers(&weak_store(number)->causes, weak_store(newer)))
            return true;
    return false;
}

static bool contradicts(const struct thread *thread, const struct location *location, const struct store *store, int order)
{
    struct weak_event load = event_of(thread, location, order);
    load.source = store->serial;
    if (order_acquires(order))
        for (unsigned i = 0; i < WEAK_THREADS; i++)
            if (load.seen[i] < store->released[i])
                load.seen[i] = store->released[i];
    return !(is_tso() ? weak_graph_allows_tso(&load) : weak_graph_allows_c11(&load));
}

/* A compare-exchange that meets what it expects does not fail. */
static bool would_only_read(const struct memory_access *access, const struct store *store)
{
    if (access->form == FORM_LOAD)
        return true;
    return access->form == FORM_CAS && !is_tso() && (store->value ^ access->expected) & value_mask(access->size);
}

static unsigned offers(const struct thread *thread, struct location *location, const struct memory_access *access,
                       uint32_t offered[WEAK_STORES])
{
    unsigned count = 0;
    uint32_t newest = weak_newest(location, access), newer = newest;
    int order = access->form == FORM_CAS ? access->failure_order : access->order;
    offered[count++] = newest;
    if (weak_graph_is_full())
        return count;
    for (uint32_t number = weak_store(newest)->older; number && !hides_older(thread, weak_store(newer));
         newer = number, number = weak_store(number)->older) {
        const struct store *store = weak_store(number);
        if (count < WEAK_STORES && would_only_read(access, store) && is_truly_weak(thread, newest, number) &&
            !contradicts(thread, location, store, order) && !was_read_as_old(thread, store))
            offered[count++] = number;
    }
    return count;
}

/* ---- what is done ---- */

static void flush(const struct thread *thread)
{
    mind_of(thread)->flushed = *weak_causes(thread);
}

static void changed_something(const struct thread *thread)
{
    mind_of(thread)->old_reads = 0;
}

static void note_read(const struct thread *thread, const struct location *location, struct store *store, int order, bool full)
{
    struct weak_event event = event_of(thread, location, order);
    event.source = store->serial;
    event.full = full;
    if (!store->read_epoch[thread->id])
        store->read_epoch[thread->id] = event.epoch;
    weak_graph_add(&event);
}

static void read_old(struct thread *thread, struct location *location, struct memory_access *access, uint32_t number)
{
    struct store *store = weak_store(number);
    struct mind *mind = mind_of(thread);
    access->old = store->value;
    access->failed = access->form == FORM_CAS;
    thread->op.accesses = 0;
    thread->op.source = store->step;
    weak_causes_join(weak_causes(thread), &store->causes);
    weak_causes_follow(thread, NULL, 0);
    if (is_tso() && store->thread != thread->id)
        weak_causes_join(&mind->flushed, &store->causes);
    bpor_race_old_read(thread, location, store->released, WEAK_THREADS, order_of(access));
    note_read(thread, location, store, order_of(access), false);
    mind->old_read[mind->old_reads++] = old_read(thread, store);
}

/* Bytes that are also accessed by another size have no history. */
static bool is_mixed(const struct location *location)
{
    struct location *other = NULL;
    while ((other = bpor_location_overlapping(other, location->address, location->size)) != NULL)
        if (other != location)
            return true;
    return false;
}

bool bpor_weak_reads_old(struct thread *thread, struct location *location, struct memory_access *access)
{
    uint32_t offered[WEAK_STORES];
    if (access->performed_by_caller || access->may_race || is_mixed(location)) {
        bpor_weak_forget(location->address, location->size);
        bpor->shared->weak_dropped |= !access->performed_by_caller && !access->may_race;
        return false;
    }
    thread->op.offered = (uint8_t)offers(thread, location, access, offered);
    if (thread->op.offered > 1)
        bpor->shared->weak_offered = 1;
    if (bpor->alternative == 0)
        return false;
    if (bpor->alternative >= thread->op.offered)
        bpor_end(BPOR_OUTCOME_DIVERGED, (int)bpor->steps, "the store that should be read is not offered");
    read_old(thread, location, access, offered[bpor->alternative]);
    return true;
}

static void note_store(struct thread *thread, struct location *location, const struct memory_access *access, value128 value,
                       struct weak_event *event, bool locked)
{
    event->source = access->form == FORM_STORE ? 0 : weak_store(location->stores)->serial;
    struct store *store = weak_store(weak_stored(thread, location, value));
    store->epoch = event->epoch;
    if (location->released)
        memcpy(store->released, location->released->at, sizeof store->released);
    event->serial = store->serial;
    event->stores = true;
    event->full = locked;
    weak_graph_add(event);
    if (locked)
        flush(thread);
    changed_something(thread);
}

void bpor_weak_performed(struct thread *thread, struct location *location, const struct memory_access *access, bool wrote,
                         value128 value, uint32_t epoch)
{
    weak_causes_follow(thread, thread->op.access, 1);
    if (access->performed_by_caller || access->may_race || is_mixed(location))
        return;
    bool locked = access->form != FORM_LOAD && (access->form != FORM_STORE || access->order == __ATOMIC_SEQ_CST);
    if (wrote) {
        struct weak_event event = event_of(thread, location, order_of(access));
        event.epoch = epoch;
        note_store(thread, location, access, value, &event, locked);
        return;
    }
    struct store *store = weak_store(weak_newest(location, access));
    note_read(thread, location, store, order_of(access), locked);
    if (locked)
        flush(thread);
    else if (store->thread != thread->id && !store->is_first)
        weak_causes_join(&mind_of(thread)->flushed, &store->causes);
}

void bpor_weak_fence(struct thread *thread, int order)
{
    weak_causes_follow(thread, NULL, 0);
    changed_something(thread);
    if (order != __ATOMIC_SEQ_CST)
        return;
    struct weak_event event = event_of(thread, NULL, order);
    event.full = true;
    weak_graph_add(&event);
    flush(thread);
}

static bool is_access_or_fence(const struct operation *op)
{
    switch (op->kind) {
    case OP_READ:
    case OP_WRITE:
    case OP_RMW:
    case OP_CAS:
        return op->argument != 0;
    default:
        return op->kind == OP_FENCE;
    }
}

void bpor_weak_step(struct thread *thread)
{
    const struct operation *op = &thread->op;
    if (is_access_or_fence(op))
        return;
    if (op->kind == OP_JOIN && op->target < WEAK_THREADS)
        weak_causes_join(weak_causes(thread), weak_causes(&bpor->thread[op->target]));
    weak_causes_follow(thread, op->access, op->accesses);
    changed_something(thread);
    flush(thread);
    if (is_tso()) {
        struct weak_event event = event_of(thread, NULL, __ATOMIC_RELAXED);
        event.full = event.operation = true;
        event.causes = *weak_causes(thread);
        weak_graph_add(&event);
    }
}

void bpor_weak_thread_created(const struct thread *thread, const struct thread *creator)
{
    if (thread->id >= WEAK_THREADS) {
        bpor_weak = false;
        bpor->shared->weak_dropped = 1;
        return;
    }
    *weak_causes(thread) = *weak_causes(creator);
    mind_of(thread)->flushed = *weak_causes(thread);
}
