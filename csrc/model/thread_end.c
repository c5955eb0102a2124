/* The end of a thread as a step, where others can see it.
 *
 * Joins that may come too early (join.c) race with it: it writes the thread. And in programs whose main thread may leave by
 * pthread_exit (process/imports.c) the last thread to end ends the process and runs the exit handlers, so it matters who that is.
 * As long as main is there nobody else is the last: ends commute with each other, but not with main's leaving, which writes
 * PRESENT. Once it has left, every end may be the one that leaves another thread alone: they all write LEFT.
 *
 * A thread whose stack holds synchronisation objects that others use takes them with it: its end writes them all.
 *
 * Everywhere else an end is no step: it belongs to the thread's last one. */
#include "model/rules.h"
#include "process/imports.h"

enum { WHOLE_STACK = 1 << 30 }; /* more than any: how much a thread has depends on who carries it, and its name must not */

static bool is_main(const struct thread *thread)
{
    return thread->creator == BPOR_NO_THREAD;
}

/* The site: where it was asked to end, or just inside the start routine, as if that had been called from there. */
static const void *site_of(const struct thread *thread)
{
    return thread->left_at ? thread->left_at : (const char *)thread->start + 1;
}

void bpor_thread_announce_end(struct thread *thread)
{
    bool leaving = bpor_imports_thread_exit();
    if (is_main(thread) && !leaving && bpor->threads > 1)
        bpor_refuse("pthread_exit in the main thread",
                    "looked up while the program runs; link the program or a library loaded at start against it");
    if (!leaving && !bpor_imports_hasty_joins() && !thread->stack_is_shared)
        return;
    struct operation *op = bpor_operation(OP_THREAD_END, site_of(thread));
    if (leaving)
        bpor_touch(op, bpor_process_object(PROCESS_PRESENT), 1, is_main(thread));
    if (bpor_imports_hasty_joins())
        bpor_touch_thread(op, thread);
    if (thread->stack_is_shared)
        bpor_touch(op, bpor_stack_name(thread, thread->stack_top - WHOLE_STACK, BPOR_CLASS_SYNC), WHOLE_STACK, true);
    if (leaving && !is_main(thread))
        bpor_touch(op, bpor_process_object(PROCESS_LEFT), 1, true);
    bpor_step();
}

void thread_end_perform(struct thread *thread)
{
    struct operation *op = &thread->op;
    bool main_is_there = bpor->thread[0].state != THREAD_FINISHED;
    if (bpor_imports_thread_exit() && !is_main(thread) && main_is_there)
        op->accesses--; /* LEFT: nobody is alone yet */
}
