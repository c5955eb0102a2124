/* A replay under a debugger runs in the process that was launched, on kernel threads, and calls bpor_debugger_stop before the
 * step at which the debugger wants to be; that runs in the thread that is about to take the step. bpor/target/gdb_commands.py
 * breaks on the two functions below and writes the two variables: their names are the contract. */
#define _GNU_SOURCE
#include "runtime/debugger.h"
#include "machine/filter.h"
#include "runtime/runtime.h"
#include "runtime/sys.h"
#include <sys/prctl.h>
#include <time.h>

enum { LOOK_EVERY_NS = 2000000 };

volatile uint32_t bpor_debugger_ready;
volatile uint64_t bpor_debugger_stop_at;

__attribute__((noinline)) void bpor_debugger_stop(uint64_t step)
{
    __asm__ volatile("" ::"r"(step) : "memory");
}

__attribute__((noinline)) void bpor_debugger_end(uint64_t step)
{
    __asm__ volatile("# end" ::"r"(step) : "memory");
}

void bpor_debugger_wait(void)
{
    struct timespec tick = {0, LOOK_EVERY_NS};
    if (!(bpor->plan.flags & BPOR_PLAN_DEBUGGER))
        return;
    bpor_filter_off();
    /* The debugger is not our parent; some systems let only parents attach. */
    sys_call4(SYS_prctl, PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0);
    while (!bpor_debugger_ready)
        sys_call3(SYS_nanosleep, &tick, 0, 0);
}

void bpor_debugger_before_step(void)
{
    if (bpor->plan.flags & BPOR_PLAN_DEBUGGER && bpor->steps >= bpor_debugger_stop_at)
        bpor_debugger_stop(bpor->steps);
}

void bpor_debugger_before_end(void)
{
    if (bpor->plan.flags & BPOR_PLAN_DEBUGGER)
        bpor_debugger_end(bpor->steps);
}
