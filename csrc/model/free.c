/* The free of a block in which synchronisation objects live. Who is about to use them is found out when it does; who sleeps in
 * one of them would never be. */
#include "model/rules.h"
#include "model/waiters.h"

void free_perform(struct thread *thread)
{
    const struct allocation *block = (const struct allocation *)(uintptr_t)thread->op.argument;
    for (struct object *object = NULL; (object = bpor_object_within(object, block->start, block->size)) != NULL;) {
        if (object->live && object->family == FAMILY_CONDITION && bpor_waiters_blocked(object))
            bpor_misuse("free of a block that holds a condition on which a thread waits");
        if (object->live && object->family == FAMILY_BARRIER && bpor_barrier_awaited(object))
            bpor_misuse("free of a block that holds a barrier at which a thread waits");
    }
}
