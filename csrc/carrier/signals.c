/* A fatal signal ends the execution with a value that says which it was. Handlers of the target are kept and called first: only a
 * signal that would have killed the process is a crash. The controller's question where the program is, asked when an execution
 * must be ended early, is also answered here. */
#define _GNU_SOURCE
#include "carrier/signals.h"
#include "arch/x86_64/control_state.h"
#include "arch/x86_64/signal_return.h"
#include "beside/search.h"
#include "machine/filter.h"
#include "machine/machine.h"
#include "reset/dispositions.h"
#include "reset/signal_state.h"
#include "runtime/real.h"
#include "runtime/reserve.h"
#include "runtime/runtime.h"
#include "runtime/sys.h"
#include "runtime/unwinding.h"
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <ucontext.h>

enum { ALTERNATE_STACK = 64 << 10 };
static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP};
static struct sigaction target_action[65];
static uint8_t *alternate_stacks;

bool bpor_signal_is_ours(int number)
{
    for (unsigned i = 0; i < sizeof fatal / sizeof fatal[0]; i++)
        if (fatal[i] == number)
            return true;
    return number == WATCHDOG_SIGNAL;
}

void bpor_signal_action(int number, const struct sigaction *new_action, struct sigaction *old_action)
{
    struct sigaction previous = target_action[number];
    if (new_action)
        target_action[number] = *new_action;
    if (old_action)
        *old_action = previous;
}

/* Set by hand, it makes every access fault that is not aligned, those of our own code too. */
static bool checks_alignment(const ucontext_t *context)
{
    return context->uc_mcontext.gregs[REG_EFL] & ALIGNMENT_CHECK_BIT;
}

/* For the stack of a report: an instruction that was moved failed where it came from. */
static void leave_trampoline(void *context)
{
    greg_t *instruction = &((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    *instruction = (greg_t)bpor_machine_original((uintptr_t)*instruction);
}

static void crash(int number, const siginfo_t *info, void *context)
{
    const char *name = sigabbrev_np(number);
    struct bpor_end *end = &bpor->shared->end;
    char message[64];
    bool faults = number == SIGSEGV || number == SIGBUS;
    if (number == SIGBUS && info->si_code == BUS_ADRALN && checks_alignment(context))
        bpor_refuse("alignment checks",
                    "the program has the processor's flag AC set across calls, which our own code does not bear");
    snprintf(message, sizeof message, "SIG%s", name ? name : "?");
    end->address = faults ? (uint64_t)info->si_addr : 0;
    leave_trampoline(context);
    if (bpor_self)
        bpor_step_crashes();
    bpor_end_with_stack(BPOR_OUTCOME_CRASH, number, message);
}

/* The fault happened in the middle of an operation, for example an atomic access of a bad address. If the target's handler jumped
 * out of it, the rest of the operation would be missing and the thread would be out of control from then on. */
static void __attribute__((noreturn)) refuse_to_leave(int number)
{
    char message[160];
    const char *name = sigabbrev_np(number);
    snprintf(message, sizeof message,
             "SIG%s inside an operation, which the program handles itself: an operation cannot be left half way",
             name ? name : "?");
    bpor_end_with_stack(BPOR_OUTCOME_REFUSED, number, message);
}

/* Either a trampoline read the mark of an address that has no mark, and the instruction itself will show whether the address is
 * valid; or the breakpoint instruction before this one is ours. */
static bool goes_on(int number, void *context)
{
    greg_t *instruction = &((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    uintptr_t at = (uintptr_t)*instruction, behind = 0;
    if (number == SIGSEGV && (behind = bpor_filter_behind(at)) != 0)
        bpor_filter_off(); /* a bad address, or memory that a bare system call has mapped: there will be more */
    else if (number == SIGTRAP)
        behind = bpor_machine_trapped(at - 1);
    if (behind)
        *instruction = (greg_t)behind;
    return behind != 0;
}

static void kill_by(int number)
{
    struct kernel_sigaction action = {0};
    uint64_t mask = 0;
    sys_call4(SYS_rt_sigaction, number, &action, 0, sizeof mask);
    sys_call4(SYS_rt_sigprocmask, SIG_SETMASK, &mask, 0, sizeof mask);
    sys_call3(SYS_tgkill, sys_getpid(), sys_gettid(), number);
}

static void on_fatal(int number, siginfo_t *info, void *context)
{
    bpor_alignment_checks_off(); /* the kernel leaves them on in handlers */
    if (bpor_search_thaws(info))
        return;
    if (bpor_search_was_hit(info, context))
        bpor_end(BPOR_OUTCOME_DAMAGED, 0, ""); /* even if the program would handle the signal */
    if (goes_on(number, context))
        return;
    if (info->si_code > 0)
        bpor_unwinding_failed();
    const struct sigaction *action = &target_action[number];
    if (alternate_stacks == NULL && action->sa_handler == SIG_DFL)
        kill_by(number); /* control has not begun */
    if (action->sa_handler == SIG_DFL || (action->sa_handler == SIG_IGN && info->si_code > 0))
        crash(number, info, context);
    if (action->sa_handler == SIG_IGN)
        return;
    if (info->si_code > 0 && bpor->forked && bpor_self && bpor_self->shielded)
        refuse_to_leave(number);
    struct sigaction once = *action;
    if (action->sa_flags & SA_RESETHAND)
        target_action[number].sa_handler = SIG_DFL;
    if (once.sa_flags & SA_SIGINFO)
        once.sa_sigaction(number, info, context);
    else
        once.sa_handler(number);
}

static void on_watchdog(int number, siginfo_t *info, void *context)
{
    const struct bpor_shared *shared = bpor->shared;
    bpor_alignment_checks_off();
    if (info->si_pid == sys_getpid()) {
        on_fatal(number, info, context); /* the program's own signal of that number */
        return;
    }
    if (bpor->forked && shared->cut && (shared->cut != BPOR_OUTCOME_WATCHDOG || shared->cut_at == shared->progress)) {
        leave_trampoline(context);
        bpor_end_with_stack(shared->cut, 0, "");
    }
}

static void install(int number, void (*handler)(int, siginfo_t *, void *))
{
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    action.sa_sigaction = handler;
    REAL(sigaction)(number, &action, &target_action[number]);
}

void bpor_signals_install(void)
{
    alternate_stacks = bpor_reserve((size_t)BPOR_MAX_THREADS * ALTERNATE_STACK);
    for (unsigned i = 0; i < sizeof fatal / sizeof fatal[0]; i++)
        if (fatal[i] != SIGTRAP || !bpor_machine_traps())
            install(fatal[i], on_fatal);
    install(WATCHDOG_SIGNAL, on_watchdog);
}

void bpor_signals_install_trap(void)
{
    const unsigned long flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | RESTORER_FLAG;
    struct kernel_sigaction action = {on_fatal, flags, bpor_guard_restorer, 0}, old = {0};
    sys_call4(SYS_rt_sigaction, SIGTRAP, &action, &old, sizeof action.mask);
    target_action[SIGTRAP] = (struct sigaction){.sa_flags = (int)old.flags};
    target_action[SIGTRAP].sa_sigaction = old.handler;
}

bool bpor_signals_own_stack(uintptr_t address)
{
    return address - (uintptr_t)alternate_stacks < (uintptr_t)BPOR_MAX_THREADS * ALTERNATE_STACK;
}

/* So that a stack overflow can be told. The target may choose one of its own. */
static stack_t alternate_of(const struct thread *thread)
{
    if (thread->alternate.chosen)
        return (stack_t){.ss_sp = thread->alternate.start, .ss_size = thread->alternate.bytes};
    return (stack_t){.ss_sp = alternate_stacks + (size_t)thread->id * ALTERNATE_STACK, .ss_size = ALTERNATE_STACK};
}

void bpor_signals_prepare_thread(struct thread *thread)
{
    stack_t stack = alternate_of(thread);
    sys_call3(SYS_sigaltstack, &stack, 0, 0);
}

/* sigaltstack as the target sees it: without one of its own it has none. */
int bpor_signals_choose_stack(const stack_t *chosen, stack_t *old)
{
    struct thread *self = bpor_self;
    stack_t present = {.ss_flags = SS_DISABLE};
    if (self->alternate.chosen)
        sys_call3(SYS_sigaltstack, 0, &present, 0);
    if (chosen) {
        bpor_signal_state_touched();
        long error = chosen->ss_flags & SS_DISABLE ? 0 : sys_call3(SYS_sigaltstack, chosen, 0, 0);
        if (error < 0)
            return (int)-error;
        self->alternate.chosen = !(chosen->ss_flags & SS_DISABLE);
        self->alternate.start = chosen->ss_sp;
        self->alternate.bytes = chosen->ss_size;
        if (!self->alternate.chosen)
            bpor_signals_prepare_thread(self);
    }
    if (old)
        *old = present;
    return 0;
}
