/* The end of a synchronisation object: it is destroyed by a call, freed with its block, or gone with the stack of its thread.
 * Every later call on it is an error, whatever its remaining bytes contain. */
#ifndef BPOR_LIFETIMES_H
#define BPOR_LIFETIMES_H
#include "runtime/objects.h"

/* An object that was just met: is its memory somebody's? */
void bpor_lifetime_begin(struct object *object);
/* The thread's operation destroys its object, which is so large. */
void bpor_lifetime_destroyed(const struct thread *thread, size_t bytes);
/* A mutex that was destroyed before control began. */
void bpor_lifetime_recognise(struct object *mutex);
/* The block that holds it is freed. `stack`: as bpor_stack_remember gave it. */
void bpor_lifetime_freed(struct object *object, unsigned by, uint32_t stack);
bool bpor_lifetime_ended_by_call(const struct object *object);
/* Does the operation that the thread is about to do use an object that is no more? Then it is enabled, because it is a call that
 * returns or crashes as it likes, and it ends the execution. */
bool bpor_lifetime_object_over(const struct thread *thread);
static inline bool bpor_lifetime_over(const struct thread *thread)
{
    return (thread->op.object || thread->op.second) &&
           bpor_lifetime_object_over(thread); /* asked for every thread at every step */
}
void bpor_lifetime_report(const struct thread *thread);
/* After a step: what it initialised lives. */
void bpor_lifetime_step(const struct thread *thread);
#endif
