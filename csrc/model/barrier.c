/* Barriers. A wait is two steps: arrive, which is always enabled; then leave, enabled when its round is complete.
 *
 * Three kinds of objects, so that leaving a round is independent of arriving at the next: the barrier itself, which both read and
 * only initialisation and destruction write; the arrivals, which every arrival writes; and the round, which arrivals at it write
 * and those who leave it read. At which round a thread will arrive is not known before it does, but nobody leaves that round
 * before. Time too flows from the arrivals at a round to those who leave it.
 *
 * The last to arrive is the serial thread. The rounds are counted here and not in the barrier, because the memory may be gone
 * before the last thread has left; how many take part stands in the barrier, wherever it was initialised. They are counted to
 * ROUNDS and then from the beginning, so that a program that goes round at a barrier comes back to its states; whose round is
 * complete is told at once, because it may leave many rounds later.
 *
 * As in libc, destroying waits for those who are about to leave; destroying or initialising under a thread that still waits for
 * others is misuse. */
#include "model/rules.h"
#include "runtime/lifetimes.h"
#include "runtime/objects.h"
#include "runtime/real.h"
#include "runtime/reserve.h"
#include <errno.h>
#include <pthread.h>

enum { MAX_BARRIERS = 4096, ROUNDS = 4 };

struct barrier {
    unsigned round;   /* the one that is not complete, below ROUNDS */
    unsigned arrived; /* in it */
    unsigned leaving; /* of complete rounds, still inside */
    uint64_t time;    /* virtual: of the last arrival */
};

struct libc_barrier { /* glibc, sysdeps/nptl/internaltypes.h */
    unsigned in;
    unsigned current_round;
    unsigned count;
};

static struct barriers {
    unsigned used;
    struct barrier barrier[MAX_BARRIERS];
} * barriers;

void bpor_barriers_reserve(void)
{
    barriers = bpor_reserve(sizeof *barriers);
}

void bpor_barrier_digest(const struct object *object, struct digest *sequence)
{
    const struct barrier *barrier = object->barrier;
    if (barrier == NULL)
        return;
    digest_next(sequence, (uint64_t)barrier->round << 32 | barrier->arrived);
    digest_next(sequence, barrier->leaving);
    digest_next(sequence, bpor_time_counts() ? barrier->time : 0);
}

static struct barrier *state_of(struct object *object)
{
    if (object->barrier == NULL) {
        if (barriers->used == MAX_BARRIERS)
            bpor_end(BPOR_OUTCOME_REFUSED, 0, "more than 4096 barriers in one execution");
        object->barrier = &barriers->barrier[barriers->used++];
    }
    return object->barrier;
}

static unsigned parties(const struct object *object)
{
    return ((const struct libc_barrier *)object->address)->count;
}

static uint64_t round_object(const struct object *object, uint64_t round)
{
    return bpor_named_object(BPOR_CLASS_QUEUE, bpor_mix(object->id, round));
}

/* `round`: the one that it leaves, counted from 1, negative if it is complete; 0: it arrives. */
void bpor_barrier_touch(struct operation *op, struct object *object, int64_t round)
{
    bpor_touch_object(op, object, false);
    bpor_touch(op, round_object(object, (uint64_t)(round < 0 ? -round : round)), 1, round == 0);
}

static void meet(uint64_t *now, uint64_t time)
{
    if (*now < time)
        *now = time;
}

/* The round is complete: those who wait may leave, and for them it is as late as for the last to arrive. */
static void complete(const struct object *object, const struct barrier *barrier, int64_t round)
{
    for (unsigned i = 0; i < bpor->threads; i++) {
        struct thread *waiting = &bpor->thread[i];
        struct operation *op = &waiting->op;
        if (waiting->state != THREAD_WAITING || op->kind != OP_BARRIER_LEAVE || op->object != object || op->argument != round)
            continue;
        op->argument = -round;
        meet(&waiting->now, barrier->time);
    }
}

/* The operation's argument: the round that must be complete before it may leave. Its result: whether it is the serial thread. */
void barrier_arrive_perform(struct thread *thread)
{
    struct operation *op = &thread->op;
    struct barrier *barrier = state_of(op->object);
    if (parties(op->object) == 0) {
        bpor_misuse("wait at a barrier that is not initialised");
        return;
    }
    op->argument = barrier->round + 1;
    bpor_touch(op, round_object(op->object, barrier->round + 1), 1, true);
    meet(&thread->now, barrier->time);
    barrier->time = thread->now;
    if (++barrier->arrived < parties(op->object))
        return;
    barrier->leaving += barrier->arrived;
    barrier->arrived = 0;
    barrier->round = (barrier->round + 1) % ROUNDS;
    complete(op->object, barrier, op->argument);
    op->argument = -op->argument;
    thread->result = PTHREAD_BARRIER_SERIAL_THREAD;
}

bool bpor_barrier_awaited(const struct object *object)
{
    return object->barrier && object->barrier->arrived > 0;
}

bool barrier_leave_enabled(const struct thread *thread)
{
    return thread->op.argument < 0;
}

void barrier_leave_perform(struct thread *thread)
{
    thread->op.object->barrier->leaving--;
}

void barrier_init_perform(struct thread *thread)
{
    struct operation *op = &thread->op;
    struct barrier *barrier = state_of(op->object);
    if (barrier->arrived > 0) {
        bpor_misuse("initialisation of a barrier at which a thread waits");
        return;
    }
    const void *attributes = (const void *)(uintptr_t)op->argument;
    thread->result = REAL(pthread_barrier_init)((pthread_barrier_t *)op->object->address, attributes, (unsigned)op->value);
}

bool barrier_destroy_enabled(const struct thread *thread)
{
    const struct barrier *barrier = thread->op.object->barrier;
    return barrier == NULL || barrier->arrived > 0 || barrier->leaving == 0;
}

void barrier_destroy_perform(struct thread *thread)
{
    const struct object *object = thread->op.object;
    if (bpor_barrier_awaited(object)) {
        bpor_misuse("destroy of a barrier at which a thread waits");
        return;
    }
    thread->result = REAL(pthread_barrier_destroy)((pthread_barrier_t *)object->address);
    bpor_lifetime_destroyed(thread, sizeof(pthread_barrier_t));
}
