#include "trust/trust.h"
#include "model/rules.h"
#include "runtime/objects.h"
#include "runtime/reserve.h"
#include <stdio.h>

/* A limited number of operations of one call are performed without a step; the next one is a step, so that a loop that waits for
 * another thread lets it run.
 */
enum { MOST_UNSEEN = 1 << 14 };

static struct trusting {
    uint64_t call;   /* the call of trusted code that its last step was made in, and it has not left since */
    bool conflicts;  /* its operation is a step of trusted code */
    bool waits;      /* it tried in vain, or goes round */
    uint32_t unseen; /* operations since its last step */
} * trusting;

void bpor_trust_reserve(void)
{
    trusting = bpor_reserve(BPOR_MAX_THREADS * sizeof *trusting);
    bpor_trust_calls_reserve();
}

void bpor_trust_left(struct thread *self)
{
    trusting[self->id].call = NO_CALL;
}

static void touch_trusted(struct operation *op)
{
    uint64_t id = bpor_process_object(PROCESS_TRUSTED);
    for (unsigned i = 0; i < op->accesses; i++)
        if (op->access[i].object == id)
            return;
    bpor_touch(op, id, 1, true);
}

void bpor_trust_keep(struct thread *self)
{
    if (trusting[self->id].conflicts)
        touch_trusted(&self->op);
}

static bool is_own_stream(uintptr_t stream)
{
    return stream != (uintptr_t)stdin && stream != (uintptr_t)stdout && stream != (uintptr_t)stderr;
}

/* Operations on an object that only code with its address can perform. Threads, processes, descriptors, streams and time are
 * accessible to all code, so operations on them are steps. */
static bool is_private(const struct operation *op)
{
    switch ((enum operation_kind)op->kind) {
    case OP_MUTEX_INIT ... OP_SEM_GETVALUE:
    case OP_READ ... OP_FUTEX_WAKE_OP:
    case OP_FENCE ... OP_GUARD_RELEASE:
    case OP_UNMAP:
        return true;
    case OP_FILE_LOCK ... OP_FILE_USE:
        return op->object && is_own_stream(op->object->address);
    default:
        return false;
    }
}

/* Notes who uses a synchronisation object. False: others than trusted code do. */
static bool is_trusteds(struct object *object, bool by_trusted)
{
    if (object == NULL)
        return true;
    if (by_trusted) {
        object->trusted |= !object->explored;
        return !object->explored;
    }
    if (object->trusted)
        bpor_end_with_stack(BPOR_OUTCOME_REFUSED, 0,
                            "--trust: this is an object that trusted code uses out of sight; trust this call too, or less");
    object->explored = true;
    return false;
}

static bool are_trusteds(const struct operation *op, bool by_trusted)
{
    bool first = is_trusteds(op->object, by_trusted), second = is_trusteds(op->second, by_trusted);
    return first && second;
}

static enum trust trust_of_step(struct thread *self)
{
    if (bpor->unexplored)
        return TRUST_NONE;
    enum trust trust = bpor_trust_of(self->op.site - 1);
    return trust == TRUST_OF_CALLER ? bpor_trust_of_caller(self) : trust;
}

bool bpor_trust_unseen(struct thread *self)
{
    struct operation *op = &self->op;
    struct trusting *mine = &trusting[self->id];
    enum trust trust = trust_of_step(self);
    bool own = !bpor->unexplored && is_private(op) && are_trusteds(op, trust != TRUST_NONE);
    mine->conflicts = trust == TRUST_ATOMIC;
    if (trust == TRUST_NONE) {
        mine->call = NO_CALL;
        return false;
    }
    uint64_t call = mine->conflicts ? bpor_trust_call(self) : mine->call;
    bool goes_on = trust == TRUST_INDEPENDENT || (call != NO_CALL && call == mine->call);
    bool at_once = own && self->state != THREAD_STARTING && bpor_operation_enabled(self) && !mine->waits;
    if (at_once && goes_on && mine->unseen++ < MOST_UNSEEN)
        return true;
    mine->waits = false;
    mine->unseen = 0;
    mine->call = call;
    if (mine->conflicts)
        touch_trusted(op);
    return false;
}

/* Whoever tries in vain, or goes round, waits for somebody: what it does next is a step. */
void bpor_trust_done(struct thread *self)
{
    trusting[self->id].waits = self->op.flags & (BPOR_FLAG_YIELD | BPOR_FLAG_FAILED);
}
