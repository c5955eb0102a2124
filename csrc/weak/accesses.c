/* How an access is performed that reads an older store, because the schedule says so, and what every step records for later ones.
 */
#include "beside/search.h"
#include "reset/keeper.h"
#include "weak/weak.h"

bool bpor_weak, bpor_weak_sleeps;

void bpor_weak_reserve(void)
{
    weak_offers_reserve();
    weak_causes_reserve();
    weak_stores_reserve();
    weak_graph_reserve();
    bpor_weak = true;
    bpor->shared->weak_kept = 1;
}

/* Only the search beside the program, in the process that is rolled back, runs an execution again as if nothing had been. */
static bool may_sleep(void)
{
    return weak_only_watches() && bpor->shared->weaker == BPOR_WEAKER_NEVER && bpor_search_active() && bpor_keeper_active();
}

void bpor_weak_begin(void)
{
    if (weak_minds == NULL)
        return;
    bpor_weak_sleeps = may_sleep();
    bpor_weak = !bpor_weak_sleeps && !(weak_only_watches() && bpor->shared->weak_offered);
    if (!bpor_weak)
        return;
    weak_clocks_begin();
    weak_offers_begin();
    weak_causes_begin();
    weak_stores_begin();
    weak_graph_begin();
}

bool bpor_weak_matters(void)
{
    return bpor_weak && !weak_only_watches();
}

/* Once it is known that something would be offered, there is nothing left to watch for. */
static bool is_over(void)
{
    return !bpor->forked || weak_minds->given_up || (weak_only_watches() && bpor->shared->weak_offered);
}

uint32_t bpor_weak_epoch(const struct thread *thread)
{
    return epoch_clock(bpor_race_epoch(thread));
}

static int order_of(const struct memory_access *access)
{
    return access->failed ? access->failure_order : access->order;
}

/* TSO: its loads pass nothing that came before. */
static void flush(const struct thread *thread)
{
    if (weak_is_tso())
        weak_copy(weak_mind(thread)->flushed.at, weak_causes(thread)->at);
}

static void changed_something(const struct thread *thread)
{
    weak_mind(thread)->old_reads = 0;
}

static void note_read(const struct thread *thread, const struct location *location, struct store *store, int order, bool full)
{
    struct weak_event *event = weak_event_of(thread, location, order);
    event->source = store->rank;
    event->full = full;
    if (!store->read_epoch[thread->id])
        store->read_epoch[thread->id] = event->epoch;
    weak_graph_add();
}

static void read_old(struct thread *thread, struct location *location, struct memory_access *access, uint32_t number)
{
    struct store *store = weak_store(number);
    struct mind *mind = weak_mind(thread);
    access->old = store->value;
    access->failed = access->form == FORM_CAS;
    thread->op.accesses = 0;
    thread->op.source = store->step;
    weak_join(weak_causes(thread)->at, store->causes);
    weak_causes_follow(thread, NULL, 0);
    if (weak_is_tso() && store->thread != thread->id)
        weak_join(mind->flushed.at, store->causes);
    bpor_race_old_read(thread, location, store->released, bpor->threads, order_of(access));
    note_read(thread, location, store, order_of(access), false);
    mind->old_read[mind->old_reads++] = weak_old_read(thread, location, store);
}

/* The event has what it read. Where there is no room for the store, weak memory is over for this execution. */
static void note_store(struct thread *thread, struct location *location, const struct memory_access *access, uint32_t after,
                       struct weak_event *event, const uint32_t *released)
{
    bool reads = access->form != FORM_STORE;
    uint32_t number = weak_stored(thread, location, after, bpor_memory_stored(access));
    if (number == 0) {
        weak_give_up();
        return;
    }
    struct store *store = weak_store(number);
    store->epoch = event->epoch;
    store->attached = reads;
    if (released)
        weak_copy(store->released, released);
    else
        weak_clear(store->released);
    event->rank = store->rank;
    event->stores = true;
    weak_graph_add();
    changed_something(thread);
}

/* A store, or a read-modify-write, right after an old store: memory keeps what is newer. */
static void put_after(struct thread *thread, struct location *location, struct memory_access *access, uint32_t number)
{
    const struct store *below = weak_store(number);
    bool reads = access->form != FORM_STORE;
    uint32_t released[WEAK_THREADS];
    uint32_t epoch = bpor_weak_epoch(thread);
    access->old = below->value;
    access->failed = false;
    weak_clear(released);
    if (reads)
        weak_copy(released, below->released);
    weak_causes_at(thread, location, thread->op.access);
    bpor_race_old_write(thread, location, released, bpor->threads, reads, access->order);
    struct weak_event *event = weak_event_of(thread, location, access->order);
    event->epoch = epoch;
    event->source = reads ? below->rank : 0;
    thread->op.source = below->step;
    note_store(thread, location, access, number, event, released);
}

/* Is nothing kept of what it accesses? Bytes that are also accessed by another size have no history. */
static bool has_no_history(const struct location *location, const struct memory_access *access)
{
    return access->performed_by_caller || access->may_race || location->mixed;
}

static void note_without_history(const struct memory_access *access)
{
    bpor->shared->weak_dropped |= !access->performed_by_caller && !access->may_race;
}

void bpor_weak_look_at_order(int order)
{
    if (order == __ATOMIC_SEQ_CST || !bpor->forked)
        return;
    bpor->shared->weaker = BPOR_WEAKER_NOW;
    bpor_end(BPOR_OUTCOME_STOPPED, 0, "");
}

void bpor_weak_look_at(const struct location *location, const struct memory_access *access)
{
    if (has_no_history(location, access)) {
        note_without_history(access);
        return;
    }
    bpor_weak_look_at_order(access->order);
    if (access->form == FORM_CAS)
        bpor_weak_look_at_order(access->failure_order);
}

bool bpor_weak_takes_old(struct thread *thread, struct location *location, struct memory_access *access)
{
    uint32_t offered[WEAK_STORES];
    if (is_over())
        return false;
    if (has_no_history(location, access)) {
        bpor_weak_forget(location->address, location->size);
        note_without_history(access);
        return false;
    }
    weak_note_order(access->order);
    if (access->form == FORM_CAS)
        weak_note_order(access->failure_order);
    if (access->order == __ATOMIC_SEQ_CST || access->failure_order == __ATOMIC_SEQ_CST)
        weak_event_comes(thread);
    if (weak_newest(location, access) == 0) {
        weak_give_up();
        return false;
    }
    unsigned count = weak_offers(thread, location, access, offered);
    if (count > 1)
        bpor->shared->weak_offered = 1;
    if (weak_only_watches())
        return false;
    thread->op.offered = (uint8_t)count;
    if (bpor->alternative == 0)
        return false;
    if (bpor->alternative >= thread->op.offered)
        bpor_end(BPOR_OUTCOME_DIVERGED, (int)bpor->steps, "the store that should be taken is not offered");
    uint32_t number = offered[bpor->alternative];
    if (weak_would_only_read(access, weak_store(number)))
        read_old(thread, location, access, number);
    else
        put_after(thread, location, access, number);
    return true;
}

void bpor_weak_performed(struct thread *thread, struct location *location, const struct memory_access *access, bool wrote,
                         uint32_t epoch)
{
    if (is_over())
        return;
    weak_causes_at(thread, location, thread->op.access);
    if (has_no_history(location, access))
        return;
    bool locked = access->form != FORM_LOAD && (access->form != FORM_STORE || access->order == __ATOMIC_SEQ_CST);
    struct store *newest = weak_store(location->stores);
    if (wrote) {
        struct weak_event *event = weak_event_of(thread, location, order_of(access));
        event->epoch = epoch;
        event->source = access->form == FORM_STORE ? 0 : newest->rank;
        event->full = locked;
        note_store(thread, location, access, location->stores, event, location->released ? location->released->at : NULL);
    } else {
        note_read(thread, location, newest, order_of(access), locked);
        if (weak_is_tso() && !locked && newest->thread != thread->id && !newest->is_first)
            weak_join(weak_mind(thread)->flushed.at, newest->causes);
    }
    if (locked)
        flush(thread);
}

void bpor_weak_fence(struct thread *thread, int order, uint32_t epoch)
{
    if (is_over())
        return;
    weak_note_order(order);
    weak_causes_follow(thread, NULL, 0);
    if (order != __ATOMIC_SEQ_CST)
        return;
    struct weak_event *event = weak_event_of(thread, NULL, order);
    event->epoch = epoch;
    event->full = true;
    weak_graph_add();
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
    if (is_over() || is_access_or_fence(op))
        return;
    if (op->kind == OP_JOIN && op->target < WEAK_THREADS)
        weak_join(weak_causes(thread)->at, weak_causes(&bpor->thread[op->target])->at);
    weak_causes_follow(thread, op->access, op->accesses);
    if (!(bpor_properties(op->kind) & YIELDS) && !(op->flags & BPOR_FLAG_FAILED))
        changed_something(thread);
    flush(thread);
    if (weak_is_tso()) {
        struct weak_event *event = weak_event_of(thread, NULL, __ATOMIC_RELAXED);
        event->full = event->operation = true;
        weak_copy(event->causes, weak_causes(thread)->at);
        weak_graph_add();
    }
}

void bpor_weak_barrier(const struct thread *thread)
{
    if (!bpor_weak || is_over())
        return;
    weak_event_of(thread, NULL, __ATOMIC_SEQ_CST)->full = true;
    weak_graph_add();
    flush(thread);
}

void bpor_weak_catch_up(const struct thread *thread, const volatile void *address, size_t bytes)
{
    struct location *location = NULL;
    if (!bpor_weak || is_over())
        return;
    while ((location = bpor_location_overlapping(location, (uintptr_t)address, bytes)) != NULL)
        if (location->stores)
            note_read(thread, location, weak_store(location->stores), __ATOMIC_RELAXED, true);
}

void bpor_weak_thread_created(const struct thread *thread, const struct thread *creator)
{
    if (is_over())
        return;
    if (thread->id >= WEAK_THREADS) {
        weak_give_up();
        return;
    }
    if (weak_clocks_are_narrow(thread->id)) {
        weak_causes_widen();
        weak_stores_widen();
        weak_graph_widen();
        weak_clocks_widened();
    }
    weak_offers_new_thread(thread->id);
    weak_causes_new_thread(thread->id);
    weak_stores_new_thread(thread->id);
    weak_graph_new_thread(thread->id);
    weak_copy(weak_causes(thread)->at, weak_causes(creator)->at);
    flush(thread);
}
