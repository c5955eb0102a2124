/* What a thread was created with, for pthread_getattr_np. libc knows the thread that carries it, whose stack and guard may be
 * others; its answer for main is right, and the same in every execution. */
#define _GNU_SOURCE
#include "runtime/runtime.h"
#include <unistd.h>

static void set_stack(const struct thread *thread, pthread_attr_t *attributes)
{
    void *start;
    size_t size;
    pthread_attr_getstack(attributes, &start, &size);
    if (thread->stack_low - (uintptr_t)start >= size && thread->stack_top - 1 - (uintptr_t)start >= size)
        pthread_attr_setstack(attributes, (void *)thread->stack_low, thread->stack_top - thread->stack_low);
}

void bpor_thread_attributes(const struct thread *thread, pthread_attr_t *attributes)
{
    if (thread == NULL || thread->id == 0)
        return;
    set_stack(thread, attributes);
    pthread_attr_setguardsize(attributes, thread->guard_bytes);
    pthread_attr_setdetachstate(attributes, thread->detached ? PTHREAD_CREATE_DETACHED : PTHREAD_CREATE_JOINABLE);
}
