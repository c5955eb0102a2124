/* Syscall User Dispatch: system calls made outside our own text arrive as SIGSYS. System calls of our own text pass. This file
 * changes only the signal mask with which the target goes on; guard_memory.c, guard_files.c and dispositions.c record what has to
 * be undone. */
#define _GNU_SOURCE
#include "reset/guard.h"
#include "arch/x86_64/signal_return.h"
#include "carrier/masks.h"
#include "machine/filter.h"
#include "process/system_calls.h"
#include "reset/bare_calls.h"
#include "reset/dispositions.h"
#include "reset/effects.h"
#include "reset/guard_files.h"
#include "reset/guard_heap.h"
#include "reset/guard_memory.h"
#include "reset/signal_state.h"
#include "runtime/reserve.h"
#include "runtime/runtime.h"
#include "runtime/sys.h"
#include <asm/prctl.h>
#include <errno.h>
#include <link.h>
#include <linux/membarrier.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <ucontext.h>

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#define PR_SYS_DISPATCH_OFF 0
#define PR_SYS_DISPATCH_ON 1
#endif
/* Commands of membarrier that the process remembers. */
enum {
    REGISTERING = MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED | MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED |
                  MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE | MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_RSEQ
};
enum { MESSAGE = 96, AFFINITY_WORDS = 128, DISPATCH_BLOCK = 1, DISPATCHED = 2 /* si_code SYS_USER_DISPATCH */ };

static struct guard {
    uint8_t selector;
    bool forked;                    /* the execution is reset by fork */
    struct kernel_sigaction before; /* what SIGSYS did without it */
    const char *problem;            /* why it does not see everything */
    char passed[MESSAGE];           /* what it let pass, where that is why */
    long affinity_bytes;            /* of the next; 0: it is as it was */
    unsigned long affinity[AFFINITY_WORDS];
} * guard;

static long make(long number, const long *argument)
{
    return sys_call6(number, argument[0], argument[1], argument[2], argument[3], argument[4], argument[5]);
}

void bpor_guard_remember_mapping(void *start, size_t bytes)
{
    if (guard)
        bpor_guard_memory_mapped((uintptr_t)start, bytes, PROT_READ | PROT_WRITE);
}

static void stop_watching(void)
{
    sys_call6(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_OFF, 0, 0, 0, 0);
}

void bpor_guard_give_up(long number, const char *what)
{
    if (guard == NULL)
        return;
    if (!guard->forked)
        bpor_end(BPOR_OUTCOME_NEEDS_FORK, (int)number, what);
    stop_watching();
    sys_call4(SYS_rt_sigaction, SIGSYS, &guard->before, 0, sizeof guard->before.mask);
    snprintf(guard->passed, sizeof guard->passed, "%s", what);
    guard->problem = guard->passed;
}

static void needs_fork(long number)
{
    char message[MESSAGE];
    const char *name = bpor_system_call_name(number);
    snprintf(message, sizeof message, "the program calls %s (system call %ld), an effect outside memory", name, number);
    bpor_guard_give_up(number, message);
}

/* Where the thread runs decides nothing, and is put back: OpenMP's threads bind themselves. */
static bool keep_affinity(long thread)
{
    if (thread != 0 && thread != sys_gettid())
        return false;
    if (guard->affinity_bytes == 0)
        guard->affinity_bytes = (long)sys_call3(SYS_sched_getaffinity, 0, sizeof guard->affinity, guard->affinity);
    return guard->affinity_bytes > 0;
}

static void put_affinity_back(void)
{
    if (guard && guard->affinity_bytes) {
        sys_call3(SYS_sched_setaffinity, 0, guard->affinity_bytes, guard->affinity);
        guard->affinity_bytes = 0;
    }
}

/* True for calls that change nothing that a later execution could see. */
static bool harmless(long number, const long *argument)
{
    switch (number) {
    case SYS_write:
    case SYS_writev:
        /* captured, and taken by the controller; or for nobody */
        return bpor_guard_is_output((int)argument[0]) || bpor_guard_is_nowhere((int)argument[0]);
    case SYS_membarrier:
        return !(argument[0] & REGISTERING); /* what threads do at the same time is not there to be ordered */
    case SYS_prlimit64:
        return argument[2] == 0; /* only asks */
    case SYS_sched_setaffinity:
        return keep_affinity(argument[0]);
    case SYS_ioctl:
        return argument[1] == TCGETS || argument[1] == TIOCGWINSZ; /* is it a terminal, how wide? */
    case SYS_arch_prctl:
        return argument[0] == ARCH_SET_GS || argument[0] == ARCH_GET_GS || argument[0] == ARCH_GET_FS; /* control_state.c */
    default:
        return bpor_system_call_has(number, SYSTEM_CALL_HARMLESS);
    }
}

/* A loop that makes a call whose answer may change (SYSTEM_CALL_ASKS) never comes back to its state: what it waits for is not in
 * it. So the number of those calls is part of every identity, as static variables are (identity.c). */
static uint64_t system_calls_that_ask;

/* The schedule up to the last change outside memory that only the program's own calls decide (effects.c, or a channel of its
 * own). The change is a function of the steps that led there, so those steps are part of every identity from then on. */
static uint64_t effects;

void bpor_guard_note_effect(long number)
{
    if (guard && (guard->forked || bpor_guard_makes_channels()))
        effects = bpor_mix(bpor_mix(effects + (uint64_t)number, bpor->hash), bpor_self->id);
}

long bpor_guard_call_channel(long number, const long *argument)
{
    if (guard && !guard->forked && !bpor_guard_allows_on_channel(number, argument))
        needs_fork(number);
    long result = make(number, argument);
    if (guard)
        bpor_guard_file_called(number, argument, result);
    return result;
}

static bool is_own_effect(long number, const long *argument)
{
    bool own = guard->forked && bpor_effect_is_own(number, argument);
    if (own)
        bpor_guard_note_effect(number);
    return own;
}

/* The handler's return brings back the mask it was called with: that is the one to change. A system call while SIGSYS is blocked
 * would kill the process: libc blocks everything now and then. */
static long change_mask(const long *argument, uint64_t *mask)
{
    uint64_t old = *mask;
    const int how = (int)argument[0];
    if (argument[1]) {
        if (how != SIG_BLOCK && how != SIG_UNBLOCK && how != SIG_SETMASK)
            return -EINVAL;
        bpor_signal_state_touched();
        uint64_t given = *(const uint64_t *)argument[1];
        *mask = how == SIG_BLOCK ? old | given : how == SIG_UNBLOCK ? old & ~given : given;
        *mask &= ~bpor_mask_open();
    }
    if (argument[2])
        *(uint64_t *)argument[2] = old;
    return 0;
}

/* Whoever waits for a child sees how it ended. */
static bool ends_fork(long number)
{
    return guard->forked && (number == SYS_exit_group || number == SYS_exit);
}

/* False: the guard has stepped aside, and the target is to make the call itself. */
static bool answer(long number, const long *argument, uint64_t stack, long *result)
{
    system_calls_that_ask += bpor_system_call_has(number, SYSTEM_CALL_ASKS);
    if (number == SYS_arch_prctl)
        bpor_filter_off(); /* gs becomes the program's */
    if (harmless(number, argument)) {
        *result = make(number, argument);
        return true;
    }
    if (bpor_guard_allows_file(number, argument)) {
        *result = make(number, argument);
        bpor_guard_file_called(number, argument, *result);
        return true;
    }
    if (bpor_guard_allows_memory(number, argument)) {
        *result = bpor_guard_call_memory(number, argument);
        return true;
    }
    if (is_own_effect(number, argument)) {
        *result = make(number, argument);
        return true;
    }
    switch (ends_fork(number) ? -1 : number) {
    case SYS_rt_sigreturn: /* the end of a handler of the target: libc's restorer */
        bpor_signal_state_touched();
        bpor_guard_return_at(stack);
    case SYS_rt_sigaction:
        *result = bpor_disposition_change(argument);
        return true;
    case SYS_exit_group:
    case SYS_exit: /* of libc's own only behind ours, which has ended the execution already */
        if (((int)argument[0] & 0xff) == 0)
            bpor_end(BPOR_OUTCOME_REFUSED, 0, BPOR_BARE_EXIT);
        bpor_end(BPOR_OUTCOME_EXIT, (int)argument[0] & 0xff, "");
    default:
        needs_fork(number);
        return false;
    }
}

static void on_system_call(int signal_number, siginfo_t *info, void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    (void)signal_number;
    if (info->si_code != DISPATCHED)
        bpor_end_with_stack(BPOR_OUTCOME_CRASH, SIGSYS, "SIGSYS");
    const long argument[6] = {registers[REG_RDI], registers[REG_RSI], registers[REG_RDX],
                              registers[REG_R10], registers[REG_R8],  registers[REG_R9]};
    long result = 0, number = registers[REG_RAX];
    bpor_bare_call_note(number, (uintptr_t)registers[REG_RIP]);
    if (number == SYS_rt_sigprocmask)
        result = change_mask(argument, (uint64_t *)&((ucontext_t *)context)->uc_sigmask);
    else if (!answer(number, argument, (uint64_t)registers[REG_RSP], &result)) {
        registers[REG_RIP] -= SYSTEM_CALL_BYTES;
        return;
    }
    registers[REG_RAX] = result;
}

struct text_range {
    uintptr_t start;
    size_t bytes;
};

static int find_own_text(struct dl_phdr_info *info, size_t size, void *data)
{
    struct text_range *range = data;
    (void)size;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + header->p_vaddr;
        if (header->p_type == PT_LOAD && (header->p_flags & PF_X) && (uintptr_t)find_own_text - start < header->p_memsz) {
            *range = (struct text_range){start, header->p_memsz};
            return 1;
        }
    }
    return 0;
}

void bpor_guard_reserve(void)
{
    guard = bpor_reserve_kept(sizeof *guard);
    bpor_bare_calls_reserve();
    bpor_dispositions_reserve();
    bpor_guard_files_reserve();
    bpor_guard_memory_reserve();
}

const char *bpor_guard_arm(void)
{
    struct text_range text = {0, 0};
    struct kernel_sigaction action = {on_system_call, SA_SIGINFO | SA_NODEFER | RESTORER_FLAG, bpor_guard_restorer, 0};
    guard->selector = DISPATCH_BLOCK;
    dl_iterate_phdr(find_own_text, &text);
    bpor_bare_calls_look();
    if (sys_call4(SYS_rt_sigaction, SIGSYS, &action, &guard->before, sizeof action.mask) != 0 ||
        sys_call6(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, (long)text.start, (long)text.bytes,
                  (long)&guard->selector, 0) != 0)
        return "the kernel has no Syscall User Dispatch, which rollback needs to see effects outside memory";
    return NULL;
}

void bpor_guard_disarm(void)
{
    stop_watching();
    guard = NULL;
}

void bpor_guard_arm_forked(const char *problem)
{
    guard->forked = true;
    bpor_guard_heap_look();
    guard->problem = problem ? problem : bpor_guard_arm();
}

const char *bpor_guard_problem(void)
{
    return guard ? guard->problem : "executions are reset neither by rollback nor by a fork of fibers";
}

bool bpor_guard_rolls_back(void)
{
    return guard && !guard->forked;
}

void bpor_guard_undo(void)
{
    put_affinity_back();
    bpor_dispositions_undo();
    bpor_guard_files_close();
    bpor_guard_memory_undo();
}

bool bpor_guard_is_clean(void)
{
    return (guard == NULL || guard->affinity_bytes == 0) && bpor_guard_memory_is_clean() && !bpor_guard_files_open() &&
           !bpor_dispositions_changed() && !bpor_signal_state_is_touched();
}

void bpor_guard_digest(struct digest *set)
{
    bpor_guard_memory_digest(set);
    bpor_guard_files_digest(set);
    bpor_dispositions_digest(set);
}
