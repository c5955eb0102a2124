/* Happens-before of the race detector: one vector clock per thread, joined along synchronises-with edges only.
 *
 * Locks, semaphores, barriers and every other modelled primitive follow the properties of their operations: a release leaves the
 * thread's clock at the object, an acquire joins it. Accesses marked as reads (read locks) join what writers left, and leave
 * theirs for writers only. A signal makes no edge: the users of a condition are ordered by its mutex. Atomics follow C11 with the
 * release sequences of C++20 (a read-modify-write continues one, a store ends it), fences included; relaxed accesses make no
 * edge. */
#include "machine/filter.h"
#include "race/race.h"
#include "race/state.h"
#include "runtime/objects.h"
#include "runtime/reserve.h"

enum { BUCKETS = 1 << 14, CAPACITY = 1 << 16 };

struct ordered {
    struct clock *seen;
    struct clock *released;   /* at its last release fence; NULL: there was none */
    struct clock *acquirable; /* what its relaxed loads met, for its next acquire fence */
};

/* What was released at one synchronisation object. */
struct gate {
    uint64_t object;
    uint32_t next; /* index + 1 */
    struct clock *by_writers;
    struct clock *by_readers;
};

static struct clock *ahead; /* what some thread will see */
static struct order {
    struct ordered thread[BPOR_MAX_THREADS];
    uint32_t gates;
    uint32_t bucket[BUCKETS];
    struct gate gate[CAPACITY];
} * order;

enum race_checks bpor_checks;

void bpor_look_for(enum race_checks checks)
{
    bpor_checks = checks;
    bpor_filter_forget();
}

bool bpor_races_wanted(void)
{
    return order != NULL;
}

static struct ordered *make(unsigned thread)
{
    struct ordered *mine = &order->thread[thread];
    mine->seen = bpor_clock_new();
    mine->acquirable = bpor_clock_new();
    mine->seen->at[thread] = 1;
    return mine;
}

void bpor_races_reserve(void)
{
    order = bpor_reserve(sizeof *order);
    ahead = bpor_clock_aside();
    bpor_shadow_reserve();
    bpor_race_state_reserve();
    bpor_sharing_reserve();
    /* Threads that are older than the first instrumented module: whatever they did is taken to be seen by all. */
    for (unsigned i = 0; i < bpor->threads; i++)
        make(i);
    bpor_look_for(bpor->threads > 1 ? CHECK_RACES : CHECK_NOTHING);
}

const struct clock *bpor_race_seen(const struct thread *thread)
{
    return order->thread[thread->id].seen;
}

epoch bpor_race_epoch(const struct thread *thread)
{
    return epoch_of(thread->id, order->thread[thread->id].seen->at[thread->id]);
}

/* What the thread does from here on is not covered by what it has released. */
static void begin_epoch(const struct thread *thread)
{
    uint32_t *clock = &order->thread[thread->id].seen->at[thread->id];
    if (*clock == MOST_CLOCK)
        bpor_end(BPOR_OUTCOME_REFUSED, 0, "more than 4194303 releases by one thread; --races=off does without counting them");
    ++*clock;
    bpor_filter_forget();
}

void bpor_race_new_epoch(const struct thread *thread)
{
    begin_epoch(thread);
}

void bpor_race_thread_created(struct thread *thread, const struct thread *creator)
{
    if (order == NULL)
        return;
    struct clock *seen = make(thread->id)->seen;
    if (creator == NULL)
        return;
    clock_copy(seen, order->thread[creator->id].seen);
    seen->at[thread->id] = 1;
    begin_epoch(creator);
    bpor_look_for(CHECK_RACES);
}

static uint32_t *bucket_of(uint64_t object)
{
    return &order->bucket[bpor_mix(object, 4) % BUCKETS];
}

/* NULL: nobody has left anything there. */
static struct gate *find_gate(uint64_t object)
{
    for (uint32_t i = *bucket_of(object); i; i = order->gate[i - 1].next)
        if (order->gate[i - 1].object == object)
            return &order->gate[i - 1];
    return NULL;
}

static struct gate *gate_of(uint64_t object)
{
    uint32_t *bucket = bucket_of(object);
    struct gate *known = find_gate(object);
    if (known)
        return known;
    if (order->gates == CAPACITY)
        bpor_end(BPOR_OUTCOME_REFUSED, 0, "more than 65536 synchronisation objects in one execution; --races=off does without");
    struct gate *gate = &order->gate[order->gates++];
    *gate = (struct gate){.object = object, .next = *bucket};
    *bucket = order->gates;
    return gate;
}

static void take(struct thread *thread, uint64_t object, bool writes)
{
    struct gate *gate = gate_of(object);
    struct clock *seen = order->thread[thread->id].seen;
    clock_join(seen, gate->by_writers);
    if (writes)
        clock_join(seen, gate->by_readers);
}

static void leave(struct thread *thread, uint64_t object, bool writes)
{
    struct gate *gate = gate_of(object);
    clock_join(clock_made(writes ? &gate->by_writers : &gate->by_readers), order->thread[thread->id].seen);
}

void bpor_race_acquire(struct thread *thread, uint64_t object, bool write)
{
    if (order)
        take(thread, object, write);
}

void bpor_race_release(struct thread *thread, uint64_t object, bool write)
{
    if (order == NULL)
        return;
    leave(thread, object, write);
    begin_epoch(thread);
}

/* Which of an operation's objects order memory: a condition's own do not, its mutex does; a futex does not, its word's atomic
 * accesses do. */
static unsigned first_ordering_object(enum operation_kind kind)
{
    switch (kind) {
    case OP_COND_WAIT:
    case OP_COND_WAKE:
        return 1;
    case OP_COND_SIGNAL:
    case OP_COND_BROADCAST:
    case OP_FUTEX_WAIT:
    case OP_FUTEX_RETURN:
    case OP_FUTEX_WAKE:
    case OP_FUTEX_REQUEUE:
    case OP_FUTEX_WAKE_OP:
        return BPOR_MAX_ACCESSES;
    default:
        return 0;
    }
}

static bool acquires(const struct operation *op)
{
    return bpor_properties(op->kind) & (ACQUIRE | BLOCKS) || op->kind == OP_SEM_TRYWAIT || op->kind == OP_TRYJOIN;
}

/* What a store of this order leaves for who acquires it, or NULL. */
static const struct clock *left_by(const struct ordered *mine, bool release)
{
    return release ? mine->seen : mine->released;
}

static void atomic_write(struct ordered *mine, struct location *location, bool release, bool continues)
{
    const struct clock *left = left_by(mine, release);
    if (!continues && location->released) {
        if (clock_unseen(location->released, left) != BPOR_NO_THREAD)
            bpor->shared->past_read |= BPOR_PAST_SHRINKS;
        clock_clear(location->released);
    }
    if (left)
        clock_join(clock_made(&location->released), left);
}

/* After a step that is not an access of memory. A condition's wake takes its mutex even when it timed out. */
void bpor_race_step(struct thread *thread)
{
    const struct operation *op = &thread->op;
    if (order == NULL || (op->flags & BPOR_FLAG_FAILED && op->kind != OP_COND_WAKE))
        return;
    if (op->kind == OP_JOIN) {
        clock_join(order->thread[thread->id].seen, order->thread[op->target].seen);
        return;
    }
    bool take_up = acquires(op), give = bpor_properties(op->kind) & RELEASE;
    for (unsigned i = first_ordering_object(op->kind); i < op->accesses; i++) {
        if (take_up)
            take(thread, op->access[i].object, op->access[i].write);
        if (give)
            leave(thread, op->access[i].object, op->access[i].write);
    }
    if (op->kind == OP_GUARD_RELEASE)
        atomic_write(&order->thread[thread->id], bpor_location(op->object->address, 1), true, true);
    if (give && op->accesses > 0)
        begin_epoch(thread);
}

static void atomic_read(struct ordered *mine, struct location *location, bool acquire)
{
    struct clock *into = acquire ? mine->seen : mine->acquirable;
    struct location *other = NULL;
    while ((other = bpor_location_overlapping(other, location->address, location->size)) != NULL)
        clock_join(into, other->released);
}

/* Checked against the plain accesses before it, and remembered for those after it. */
static void against_plain(struct thread *thread, struct location *location, bool writes)
{
    if (bpor_checks == CHECK_RACES) {
        bpor_shadow_atomic(thread, location->address, location->size, writes);
        bpor_sharing_atomic(thread, location->address, location->size, writes);
    }
    clock_made(writes ? &location->writes : &location->reads)->at[thread->id] = order->thread[thread->id].seen->at[thread->id];
    if (bpor->plan.flags & BPOR_PLAN_DESCRIBE) {
        uint32_t stack = bpor_stack_remember(thread, (const void *)thread->op.site);
        clock_made(writes ? &location->write_stacks : &location->read_stacks)->at[thread->id] = stack;
    }
}

void bpor_race_atomic(struct thread *thread, struct location *location, bool reads, bool writes, int memory_order)
{
    if (order == NULL)
        return;
    struct ordered *mine = &order->thread[thread->id];
    if (reads)
        atomic_read(mine, location, order_acquires(memory_order));
    if (!bpor_race_ignored(thread, writes))
        against_plain(thread, location, writes);
    if (writes) {
        atomic_write(mine, location, order_releases(memory_order), reads);
        if (order_releases(memory_order))
            begin_epoch(thread);
    }
}

static void join_entries(uint32_t *into, const uint32_t *from, unsigned threads)
{
    for (unsigned i = 0; i < threads; i++)
        if (into[i] < from[i])
            into[i] = from[i];
}

static void old_read(struct ordered *mine, const uint32_t *released, unsigned threads, int memory_order)
{
    join_entries(order_acquires(memory_order) ? mine->seen->at : mine->acquirable->at, released, threads);
}

void bpor_race_old_read(struct thread *thread, struct location *location, const uint32_t *released, unsigned threads,
                        int memory_order)
{
    old_read(&order->thread[thread->id], released, threads, memory_order);
    if (!bpor_race_ignored(thread, false))
        against_plain(thread, location, false);
}

void bpor_race_old_write(struct thread *thread, struct location *location, uint32_t *released, unsigned threads, bool reads,
                         int memory_order)
{
    struct ordered *mine = &order->thread[thread->id];
    if (reads)
        old_read(mine, released, threads, memory_order);
    if (!bpor_race_ignored(thread, true))
        against_plain(thread, location, true);
    const struct clock *left = left_by(mine, order_releases(memory_order));
    if (left)
        join_entries(released, left->at, threads);
    if (order_releases(memory_order))
        begin_epoch(thread);
}

void bpor_race_fence(struct thread *thread, int memory_order)
{
    if (order == NULL)
        return;
    struct ordered *mine = &order->thread[thread->id];
    if (order_acquires(memory_order))
        clock_join(mine->seen, mine->acquirable);
    if (order_releases(memory_order)) {
        clock_copy(clock_made(&mine->released), mine->seen);
        begin_epoch(thread);
    }
}

static bool waits_for_end(const struct thread *thread)
{
    return thread->state == THREAD_WAITING && thread->op.kind == OP_JOIN && !thread->op.timed;
}

/* What every access brings that is about to be made, whether it succeeds or not. */
static void join_released(struct clock *clock, const struct operation *op)
{
    const struct memory_access *access = (const struct memory_access *)(uintptr_t)op->argument;
    bool shrinks = bpor->shared->past_read & BPOR_PAST_SHRINKS;
    if (access == NULL || access->may_race || access->form == FORM_STORE || shrinks || !order_acquires(access->order) ||
        (access->form == FORM_CAS && !order_acquires(access->failure_order)))
        return;
    struct location *location = NULL;
    while ((location = bpor_location_overlapping(location, (uintptr_t)access->address, access->size)) != NULL)
        clock_join(clock, location->released);
}

static void join_mutex(struct clock *clock, const struct operation *op)
{
    for (unsigned i = first_ordering_object(op->kind); i < op->accesses; i++) {
        const struct gate *gate = find_gate(op->access[i].object);
        clock_join(clock, gate ? gate->by_writers : NULL);
    }
}

/* What its pending operation takes up. What is left there only grows: that of a mutex always, that of memory while nobody was
 * seen to store what hides an older release (bpor_past). */
static void join_pending(struct clock *clock, const struct thread *thread)
{
    if (thread->state != THREAD_WAITING || thread->op.timed)
        return;
    switch (thread->op.kind) {
    case OP_MUTEX_LOCK:
    case OP_COND_WAKE:
        join_mutex(clock, &thread->op);
        return;
    case OP_READ:
    case OP_RMW:
    case OP_CAS:
        join_released(clock, &thread->op);
        return;
    default:
        return;
    }
}

/* A thread does nothing before it has seen what its pending operation brings, or all that the thread has whose end it waits for.
 */
const struct clock *bpor_race_will_see(const struct thread *thread)
{
    clock_copy(ahead, order->thread[thread->id].seen);
    join_pending(ahead, thread);
    for (unsigned most = bpor->threads; most && waits_for_end(thread); most--) {
        thread = &bpor->thread[thread->op.target];
        clock_join(ahead, order->thread[thread->id].seen);
        join_pending(ahead, thread);
    }
    return ahead;
}

/* Of a thread that has ended, what a join would bring. */
static void each_clock_of_thread(const struct thread *thread, clock_visit *visit)
{
    const struct ordered *mine = &order->thread[thread->id];
    uint64_t key = (uint64_t)thread->id << 2;
    if (thread->state == THREAD_FINISHED && (thread->joined || thread->detached))
        return;
    visit(key, bpor_race_will_see(thread));
    if (thread->state == THREAD_FINISHED)
        return;
    visit(key + 1, mine->acquirable);
    if (mine->released)
        visit(key + 2, mine->released);
}

void bpor_race_each_clock(clock_visit *visit)
{
    for (unsigned i = 0; i < bpor->threads; i++)
        each_clock_of_thread(&bpor->thread[i], visit);
    for (uint32_t i = 0; i < order->gates; i++) {
        const struct gate *gate = &order->gate[i];
        if (gate->by_writers)
            visit(bpor_mix(gate->object, 8), gate->by_writers);
        if (gate->by_readers)
            visit(bpor_mix(gate->object, 9), gate->by_readers);
    }
}
