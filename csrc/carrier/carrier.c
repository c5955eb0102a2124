/* The function that every controlled thread runs, and the choice of its carrier (kernel thread or fiber). */
#include "carrier/carrier.h"

const struct carrier *bpor_carrier = &bpor_kernel_threads;

static void ended_by_unwinding(struct thread **thread)
{
    bpor_thread_finish(*thread);
}

/* pthread_exit unwinds to here: the cleanup takes over from libc before its own exit tail. */
void bpor_carried(struct thread *argument)
{
    struct thread *thread __attribute__((cleanup(ended_by_unwinding))) = argument;
    thread->stack_top = (uintptr_t)__builtin_frame_address(0); /* names count from here, whoever carries the thread */
    thread->shielded = false;
    thread->value = thread->start(thread->argument);
}
