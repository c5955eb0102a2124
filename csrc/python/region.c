/* Threads are made and parked at a gate first, so that what is explored is the calls themselves and not how threads start:
 * main opens the region when all stand there, and goes on when all have left. */
#include "intercept/mark.h"
#include "model/rules.h"
#include "python/changes.h"
#include "runtime/real.h"
#include "runtime/runtime.h"

void bpor_python_enter(void);
void bpor_python_gate(void);
void bpor_python_leave(void);
void bpor_python_await(unsigned long thread);
void bpor_python_join(unsigned long thread);
void bpor_python_region(unsigned threads);
void bpor_python_explore(int on);
unsigned bpor_python_choose(unsigned count);
void bpor_python_assume(void);

static unsigned members;

/* From the running thread's next operation on. */
static void explore(bool on)
{
    if (!on)
        bpor_changes_look();
    bpor->unexplored = !on;
    if (on)
        bpor_emit_unseen();
}

/* A new thread waits here while its creator, unexplored, makes others. */
bool gate_enabled(const struct thread *thread)
{
    (void)thread;
    return !bpor->unexplored;
}

void gate_perform(struct thread *thread)
{
    thread->in_region = true;
}

/* Told as its end; what the interpreter does to end the thread comes when nobody looks. */
bool leave_enabled(const struct thread *thread)
{
    (void)thread;
    return bpor->unexplored;
}

static bool at_gate(const struct thread *thread)
{
    return thread->state == THREAD_FINISHED || (thread->state == THREAD_WAITING && thread->op.kind == OP_GATE);
}

/* One thread's arrival, or that of all members. */
bool region_await_enabled(const struct thread *thread)
{
    unsigned arrived = 0;
    if (thread->op.target != BPOR_NO_THREAD)
        return at_gate(&bpor->thread[thread->op.target]);
    for (unsigned i = 0; i < bpor->threads; i++)
        arrived += bpor->thread[i].member && at_gate(&bpor->thread[i]);
    return arrived >= members;
}

bool region_end_enabled(const struct thread *thread)
{
    unsigned gone = 0;
    (void)thread;
    for (unsigned i = 0; i < bpor->threads; i++)
        gone += bpor->thread[i].member && (bpor->thread[i].left || bpor->thread[i].state == THREAD_FINISHED);
    return gone >= members;
}

void region_end_perform(struct thread *thread)
{
    (void)thread;
    explore(false);
    for (unsigned i = 0; i < bpor->threads; i++)
        bpor->thread[i].in_region = bpor->thread[i].member = false;
}

static void step(enum operation_kind kind, const void *site)
{
    if (!bpor_controlled())
        return;
    bpor_operation(kind, site);
    bpor_step();
}

/* One whose end the region waits for. Those that it makes itself are not. */
INTERCEPT void bpor_python_enter(void)
{
    if (bpor_controlled())
        bpor_self->member = true;
    step(OP_GATE, CALL_SITE);
}

INTERCEPT void bpor_python_gate(void)
{
    step(OP_GATE, CALL_SITE);
}

INTERCEPT void bpor_python_leave(void)
{
    if (!bpor_controlled())
        return;
    bpor_emit_finished(bpor_self);
    bpor_self->left = true;
    step(OP_LEAVE, CALL_SITE);
}

INTERCEPT void bpor_python_await(unsigned long thread)
{
    struct thread *target = bpor_controlled() ? bpor_thread_of((pthread_t)thread) : NULL;
    if (target == NULL)
        return;
    bpor_operation(OP_REGION_AWAIT, CALL_SITE)->target = target->id;
    bpor_step();
}

/* Python's threads are detached and its join is a semaphore: this is the join that means it. */
INTERCEPT void bpor_python_join(unsigned long thread)
{
    struct thread *target = bpor_controlled() ? bpor_thread_of((pthread_t)thread) : NULL;
    if (target == NULL)
        return;
    struct operation *op = bpor_operation(OP_JOIN, CALL_SITE);
    op->target = target->id;
    op->argument = JOIN_DETACHED_TOO;
    bpor_step();
}

INTERCEPT void bpor_python_region(unsigned threads)
{
    members = threads;
    step(OP_REGION_AWAIT, CALL_SITE);
    bpor_python_explore(true);
    step(OP_REGION_END, CALL_SITE);
}

INTERCEPT void bpor_python_explore(int on)
{
    if (bpor_controlled())
        explore(on);
}

/* Outside of the region this one step is explored: there the test asks for what its threads will do. */
INTERCEPT unsigned bpor_python_choose(unsigned count)
{
    if (!bpor_controlled())
        return 0;
    bool outside = bpor->unexplored;
    if (outside)
        explore(true);
    unsigned chosen = bpor_choose_input(count, CALL_SITE);
    if (outside)
        explore(false);
    return chosen;
}

INTERCEPT void bpor_python_assume(void)
{
    if (!bpor_controlled())
        return;
    if (bpor->unexplored)
        explore(true);
    bpor_assume_away(CALL_SITE);
}
