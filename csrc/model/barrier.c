/* Barriers. A wait is two steps: arrive, a write that is always enabled; then leave, a read, enabled when its round is complete.
 * The last to arrive is the serial thread. The rounds are counted here and not in the barrier, because the memory may be gone
 * before the last thread has left; how many take part stands in the barrier, wherever it was initialised.
 *
 * As in libc, destroying waits for those who are about to leave; destroying or initialising under a thread that still waits for
 * others is misuse. */
#include "model/rules.h"
#include "runtime/lifetimes.h"
#include "runtime/real.h"
#include <errno.h>
#include <pthread.h>

struct barrier {
    uint64_t round;   /* complete ones */
    unsigned arrived; /* in the one that is not */
    unsigned leaving; /* of complete rounds, still inside */
};

struct libc_barrier { /* glibc, sysdeps/nptl/internaltypes.h */
    unsigned in;
    unsigned current_round;
    unsigned count;
};

enum { MAX_BARRIERS = 4096 };
static struct barrier pool[MAX_BARRIERS];
static unsigned used;

static struct barrier *state_of(struct object *object)
{
    if (object->barrier == NULL) {
        if (used == MAX_BARRIERS)
            bpor_end(BPOR_OUTCOME_REFUSED, 0, "more than 4096 barriers in one execution");
        object->barrier = &pool[used++];
    }
    return object->barrier;
}

static unsigned parties(const struct object *object)
{
    return ((const struct libc_barrier *)object->address)->count;
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
    op->argument = (int64_t)barrier->round + 1;
    if (++barrier->arrived < parties(op->object))
        return;
    barrier->leaving += barrier->arrived;
    barrier->arrived = 0;
    barrier->round++;
    thread->result = PTHREAD_BARRIER_SERIAL_THREAD;
}

bool bpor_barrier_awaited(const struct object *object)
{
    return object->barrier && object->barrier->arrived > 0;
}

bool barrier_leave_enabled(const struct thread *thread)
{
    return thread->op.object->barrier->round >= (uint64_t)thread->op.argument;
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
