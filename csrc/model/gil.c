/* The interpreter's lock as a model: one holder, known by the calls of the interpreter (python/gil.c). */
#include "python/gil.h"
#include "model/rules.h"

bool gil_take_enabled(const struct thread *thread)
{
    (void)thread;
    return bpor_gil.holder == BPOR_NO_THREAD;
}

void gil_take_perform(struct thread *thread)
{
    bpor_gil.holder = thread->op.object->owner = thread->id;
}

void gil_drop_perform(struct thread *thread)
{
    bpor_gil.holder = thread->op.object->owner = BPOR_NO_THREAD;
}
