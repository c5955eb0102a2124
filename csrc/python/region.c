/* Threads are made and parked at a gate first, so that what is explored is the calls themselves and not how threads start:
 * main opens the region when all stand there, and goes on when all have left. */
#include "python/region.h"
#include "model/rules.h"
#include "runtime/real.h"
#include "runtime/runtime.h"

void bpor_python_gate(void);
void bpor_python_leave(void);
void bpor_python_region(unsigned threads);
void bpor_python_explore(int on);

static bool open;
static unsigned members;

void bpor_region_explore(bool on)
{
    bpor->unexplored = !on;
    if (on)
        bpor_emit_waiting();
}

static unsigned waiting_for(enum operation_kind kind)
{
    unsigned count = 0;
    for (unsigned i = 0; i < bpor->threads; i++)
        count += bpor->thread[i].state == THREAD_WAITING && bpor->thread[i].op.kind == kind;
    return count;
}

bool gate_enabled(const struct thread *thread)
{
    (void)thread;
    return open;
}

void gate_perform(struct thread *thread)
{
    thread->in_region = true;
}

bool leave_enabled(const struct thread *thread)
{
    (void)thread;
    return !open;
}

bool region_begin_enabled(const struct thread *thread)
{
    (void)thread;
    return waiting_for(OP_GATE) >= members;
}

void region_begin_perform(struct thread *thread)
{
    (void)thread;
    open = true;
    bpor_region_explore(true);
}

/* A member that ended without leaving has left too. */
bool region_end_enabled(const struct thread *thread)
{
    unsigned gone = 0;
    (void)thread;
    for (unsigned i = 0; i < bpor->threads; i++) {
        const struct thread *member = &bpor->thread[i];
        bool left = member->state == THREAD_WAITING && member->op.kind == OP_LEAVE;
        gone += member->in_region && (left || member->state == THREAD_FINISHED);
    }
    return gone >= members;
}

void region_end_perform(struct thread *thread)
{
    (void)thread;
    open = false;
    bpor_region_explore(false);
    for (unsigned i = 0; i < bpor->threads; i++)
        bpor->thread[i].in_region = false;
}

static void step(enum operation_kind kind, const void *site)
{
    if (!bpor_controlled())
        return;
    bpor_operation(kind, site);
    bpor_step();
}

INTERCEPT void bpor_python_gate(void)
{
    step(OP_GATE, CALL_SITE);
}

INTERCEPT void bpor_python_leave(void)
{
    step(OP_LEAVE, CALL_SITE);
}

INTERCEPT void bpor_python_region(unsigned threads)
{
    members = threads;
    step(OP_REGION_BEGIN, CALL_SITE);
    step(OP_REGION_END, CALL_SITE);
}

INTERCEPT void bpor_python_explore(int on)
{
    if (bpor_controlled())
        bpor_region_explore(on);
}
