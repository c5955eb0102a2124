/* The kernel-thread carrier: every controlled thread is a real one; all but one wait, each on a futex word of its own. */
#define _GNU_SOURCE
#include "runtime/carrier.h"
#include "runtime/real.h"
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

static void switch_to(struct thread *from, struct thread *to)
{
    give_go(to);
    wait_for_go(from);
}

static void leave(struct thread *from, struct thread *to)
{
    give_go(to);
    /* Parked, not ended: libc's exit tail would run beside the next thread. */
    for (;;)
        wait_for_go(from);
}

static void *start(void *argument)
{
    struct thread *thread = argument;
    wait_for_go(thread); /* before anything else: the creator is still running */
    thread->kernel_id = sys_gettid();
    bpor->shared->running = (uint32_t)thread->kernel_id;
    thread->stack_top = (uintptr_t)__builtin_frame_address(0);
    thread->stack_low = thread->stack_top - thread->stack_bytes;
    bpor_self = thread;
    bpor_signals_prepare_thread(thread);
    bpor_carried(thread);
    return NULL;
}

static int create(struct thread *thread, const pthread_attr_t *attributes)
{
    if (attributes == NULL || pthread_attr_getstacksize(attributes, &thread->stack_bytes) != 0)
        thread->stack_bytes = DEFAULT_STACK;
    return REAL(pthread_create)(&thread->handle, attributes, start, thread);
}

const struct carrier bpor_kernel_threads = {.create = create, .switch_to = switch_to, .leave = leave};
