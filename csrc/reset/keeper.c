/* The keeper's loop, which may search. It lives in memory that is never restored: a snapshot taken on the main stack would bring
 * back a stale return address. Kernel state is not rolled back: the guard ends an execution that would change any (guard.c). */
#define _GNU_SOURCE
#include "reset/keeper.h"
#include "arch/x86_64/context.h"
#include "reset/checkpoints.h"
#include "reset/faults.h"
#include "reset/guard.h"
#include "reset/guard_heap.h"
#include "reset/pages.h"
#include "reset/signal_state.h"
#include "reset/template.h"
#include "runtime/plan.h"
#include "runtime/reserve.h"
#include "runtime/runtime.h"
#include "runtime/sys.h"
#include <string.h>

static struct keeper {
    struct context self;
    struct context fork_point;
    struct context abandoned; /* where the execution stood when it ended: nobody returns there */
    bool resting;             /* in the loop: an execution may hand over */
    const char *problem;
    uint8_t stack[256 << 10];
} * keeper;

static void say(const char *problem)
{
    strncpy(bpor->shared->end.message, problem, sizeof bpor->shared->end.message - 1);
}

static void put_everything_back(void)
{
    bpor_guard_undo();
    const char *problem = bpor_pages_restore();
    bpor_checkpoints_settle();
    bpor_signal_state_put_back();
    if (problem) {
        bpor->shared->end.outcome = BPOR_OUTCOME_NEEDS_FORK;
        say(problem);
    }
}

/* From the fork point or a checkpoint to its end, with a halt at each checkpoint that it takes. */
static void run_execution(void)
{
    bpor_faults_begin(); /* before a checkpoint is put there: it may hold pages that are protected again */
    const struct context *here = bpor_checkpoint_enter();
    bpor_guard_heap_close();
    keeper->resting = true;
    for (here = here ? here : &keeper->fork_point; here; here = bpor_checkpoint_take())
        bpor_context_switch(&keeper->self, here);
    keeper->resting = false;
    bpor_checkpoints_leave();
}

static void loop(void)
{
    bpor_control_state_default();
    bpor_signal_state_take();
    bpor_checkpoints_reserve();
    bpor_guard_reserve();
    keeper->problem = bpor_guard_arm();
    if (keeper->problem == NULL)
        keeper->problem = bpor_pages_remember();
    if (keeper->problem) {
        bpor_guard_disarm();
        bpor_context_switch(&keeper->self, &keeper->fork_point);
    }
    bpor->shared->rolls_back = 1;
    say(bpor_pages_tracked() ? "" : "userfaultfd is not allowed here, so every page is copied back");
    bpor_template_hello();
    while (bpor_plan_next()) {
        bpor_template_reset_shared();
        run_execution();
        put_everything_back();
        bpor_plan_done();
    }
    sys_exit_group(0);
}

bool bpor_keeper_run(void)
{
    keeper = bpor_reserve_kept(sizeof *keeper);
    bpor_context_make(&keeper->self, keeper->stack + sizeof keeper->stack, bpor_self->context.thread_pointer, loop);
    keeper->fork_point.thread_pointer = bpor_self->context.thread_pointer;
    bpor_context_switch(&keeper->fork_point, &keeper->self);
    if (keeper->problem) {
        say(keeper->problem);
        keeper = NULL;
        return false;
    }
    return true;
}

bool bpor_keeper_active(void)
{
    return keeper != NULL;
}

void bpor_keeper_take_over(void)
{
    if (keeper && keeper->resting)
        bpor_context_switch(&keeper->abandoned, &keeper->self);
}

void bpor_keeper_checkpoint(void)
{
    if (!keeper || !keeper->resting || !bpor_checkpoint_due())
        return;
    struct context *here = bpor_checkpoint_ask();
    if (!here)
        return;
    here->thread_pointer = bpor_self->context.thread_pointer;
    bpor_context_switch(here, &keeper->self);
    if (bpor_checkpoint_entered())
        bpor_plan_unpack();
}
