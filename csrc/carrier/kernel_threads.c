/* The kernel-thread carrier: every controlled thread is a kernel thread. All but the running one wait, each on a futex word of
 * its own. */
#define _GNU_SOURCE
#include "arch/x86_64/context.h"
#include "carrier/carrier.h"
#include "runtime/real.h"
#include "runtime/sys.h"
#include <linux/futex.h>

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

/* Parked, not ended: libc's exit tail would run beside the next thread. */
static void park(struct thread *thread, struct thread *next)
{
    give_go(next);
    for (;;)
        wait_for_go(thread);
}

/* A stack of the program's own may be freed as soon as the thread is joined, so a thread is parked at home: on libc's stack,
 * where libc also keeps what it knows of the thread. */
static void on_own_stack(void)
{
    bpor_carried(bpor_self);
    __builtin_unreachable();
}

static void run_on_own_stack(struct thread *thread)
{
    struct context away;
    bpor_context_make(&away, (void *)(thread->own_stack + thread->stack_bytes), thread->context.thread_pointer, on_own_stack);
    bpor_context_switch(&thread->context, &away);
    park(thread, &bpor->thread[thread->after]);
}

static void leave(struct thread *from, struct thread *to)
{
    struct context away;
    if (from->own_stack) {
        from->after = to->id;
        bpor_context_switch(&away, &from->context);
    }
    park(from, to);
}

static void *start(void *argument)
{
    struct thread *thread = argument;
    wait_for_go(thread); /* before anything else: the creator is still running */
    thread->kernel_id = sys_gettid();
    thread->context.thread_pointer = (uint64_t)__builtin_thread_pointer();
    bpor->shared->running = (uint32_t)thread->kernel_id;
    thread->stack_top = thread->own_stack ? thread->own_stack + thread->stack_bytes : (uintptr_t)__builtin_frame_address(0);
    bpor_self = thread;
    bpor_signals_prepare_thread(thread);
    if (thread->own_stack)
        run_on_own_stack(thread);
    bpor_carried(thread);
    return NULL;
}

/* The stack that the program gave, or 0: where it gave none, libc puts the end of it at address 0. */
static uintptr_t own_stack(const pthread_attr_t *attributes)
{
    void *low = NULL;
    size_t bytes = 0;
    if (attributes == NULL || pthread_attr_getstack(attributes, &low, &bytes) != 0 || (uintptr_t)low + bytes == 0)
        return 0;
    return (uintptr_t)low;
}

/* The bounds are those that libc reports. Its size and ours differ by what libc keeps on the stack, and a mapping of the program
 * may lie directly below. */
static uintptr_t lowest_of_libcs(pthread_t handle)
{
    pthread_attr_t attributes;
    void *low = NULL;
    size_t bytes;
    if (REAL(pthread_getattr_np)(handle, &attributes) != 0)
        bpor_end(BPOR_OUTCOME_REFUSED, 0, "where the stack of a new thread ends cannot be found out");
    pthread_attr_getstack(&attributes, &low, &bytes);
    pthread_attr_destroy(&attributes);
    return (uintptr_t)low;
}

static int create(struct thread *thread, const pthread_attr_t *attributes)
{
    thread->own_stack = own_stack(attributes);
    thread->stack_is_programs = thread->own_stack != 0;
    if (thread->stack_is_programs)
        pthread_attr_getstacksize(attributes, &thread->stack_bytes);
    int error = REAL(pthread_create)(&thread->handle, thread->own_stack ? NULL : attributes, start, thread);
    if (error == 0)
        thread->stack_low = thread->own_stack ? thread->own_stack : lowest_of_libcs(thread->handle);
    return error;
}

const struct carrier bpor_kernel_threads = {.create = create, .switch_to = switch_to, .leave = leave};
