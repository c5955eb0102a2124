/* The attributes that a thread was created with, for pthread_getattr_np, and its name. libc would answer for the thread that
 * carries it, whose stack and guard may differ. For the main thread libc's answer is right, and it is the same in every
 * execution. */
#define _GNU_SOURCE
#include "runtime/runtime.h"
#include <errno.h>
#include <string.h>

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

/* The kernel keeps a name for each thread of its own; ours may share one. */
int bpor_thread_set_name(pthread_t handle, const char *name)
{
    struct thread *thread = bpor_thread_of(handle);
    if (strlen(name) >= sizeof thread->given_name)
        return ERANGE;
    if (thread == NULL)
        return ESRCH;
    bpor_kin_named(thread);
    strcpy(thread->given_name, name);
    return 0;
}

int bpor_thread_get_name(pthread_t handle, char *name, size_t bytes)
{
    const struct thread *thread = bpor_thread_of(handle);
    if (bytes < sizeof thread->given_name)
        return ERANGE;
    if (thread == NULL)
        return ESRCH;
    bpor_kin_named(thread);
    memcpy(name, thread->given_name, sizeof thread->given_name);
    return 0;
}
