/* The free of a block, or the unmapping of memory, in which synchronisation objects live. A thread that is about to use such an
 * object is reported when it does; a thread that already waits in one would otherwise never be reported. */
#include "model/rules.h"
#include "model/waiters.h"

void free_perform(struct thread *thread)
{
    const char *how = thread->op.kind == OP_FREE ? "free of a block" : "unmapping of memory";
    const struct allocation *block = (const struct allocation *)(uintptr_t)thread->op.argument;
    for (struct object *object = NULL; (object = bpor_object_within(object, block->start, block->size)) != NULL;) {
        if (object->live && object->family == FAMILY_CONDITION && bpor_waiters_blocked(object))
            bpor_misuse("%s that holds a condition on which a thread waits", how);
        if (object->live && object->family == FAMILY_BARRIER && bpor_barrier_awaited(object))
            bpor_misuse("%s that holds a barrier at which a thread waits", how);
    }
}
