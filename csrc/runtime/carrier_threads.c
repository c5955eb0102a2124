/* The kernel-thread carrier: every controlled thread is a real one; all but one wait, each on a futex word of its own.
 *
 * Seam: bpor_carrier_create, _switch and _leave are all the rest of the runtime knows of how threads are carried. */
#define _GNU_SOURCE
#include "runtime/objects.h"
#include "runtime/real.h"
#include "runtime/runtime.h"
#include "runtime/sys.h"
#include <linux/futex.h>

enum { DEFAULT_STACK = 8 << 20 };

static void wait_for_go(struct thread *thread)
{
    while (__atomic_load_n(&thread->go, __ATOMIC_ACQUIRE) == 0)
        sys_call4(SYS_futex, &thread->go, FUTEX_WAIT_PRIVATE, 0, 0);
    __atomic_store_n(&thread->go, 0, __ATOMIC_RELAXED);
    bpor->shared->running = (uint32_t)thread->kernel_id;
}

static void give_go(struct thread *thread)
{
    __atomic_store_n(&thread->go, 1, __ATOMIC_RELEASE);
    sys_call3(SYS_futex, &thread->go, FUTEX_WAKE_PRIVATE, 1);
}

void bpor_carrier_switch(struct thread *from, struct thread *to)
{
    give_go(to);
    wait_for_go(from);
}

void bpor_carrier_leave(struct thread *from, struct thread *to)
{
    give_go(to);
    /* Parked, not ended: libc's exit tail would run beside the next thread. */
    for (;;)
        wait_for_go(from);
}

/* Names need the range, not its exact ends. */
static void find_stack(struct thread *thread)
{
    thread->stack_top = (uintptr_t)__builtin_frame_address(0);
    thread->stack_low = thread->stack_top - thread->stack_bytes;
}

static void ended_by_unwinding(struct thread **thread)
{
    bpor_thread_finish(*thread);
}

/* pthread_exit unwinds to here; the cleanup takes over from libc before its own exit tail. */
static void *carried(void *argument)
{
    struct thread *thread __attribute__((cleanup(ended_by_unwinding))) = argument;
    wait_for_go(thread); /* before anything else: the creator is still running */
    bpor_self = thread;
    thread->kernel_id = sys_gettid();
    bpor->shared->running = (uint32_t)thread->kernel_id;
    find_stack(thread);
    bpor_signals_prepare_thread(thread);
    thread->shielded = false;
    thread->value = thread->start(thread->argument);
    return NULL;
}

int bpor_carrier_create(struct thread *thread, const pthread_attr_t *attributes)
{
    if (attributes == NULL || pthread_attr_getstacksize(attributes, &thread->stack_bytes) != 0)
        thread->stack_bytes = DEFAULT_STACK;
    return REAL(pthread_create)(&thread->handle, attributes, carried, thread);
}
