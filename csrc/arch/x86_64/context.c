/* Switches between contexts: callee-saved registers, the control state, the stack pointer and fs. fs is set by wrfsbase if the
 * kernel allows it (AT_HWCAP2), by a system call otherwise. */
#define _GNU_SOURCE
#include "arch/x86_64/context.h"
#include "runtime/sys.h"
#include <asm/prctl.h>
#include <cpuid.h>
#include <sys/auxv.h>

enum { HWCAP2_FSGSBASE_BIT = 2, SHADOW_STACK_STATUS = 0x5005 };

static bool has_wrfsbase, has_xsave;

/* void swap_stacks(uint64_t *from, uint64_t to) */
__attribute__((visibility("hidden"))) void bpor_swap_stacks(uint64_t *from, uint64_t to);
__asm__(".text\n"
        ".type bpor_swap_stacks,@function\n"
        ".globl bpor_swap_stacks\n"
        ".hidden bpor_swap_stacks\n"
        "bpor_swap_stacks:\n"
        "    .cfi_startproc\n"
        "    push %rbp\n    push %rbx\n    push %r12\n    push %r13\n    push %r14\n    push %r15\n"
        "    mov %rsp, (%rdi)\n"
        "    mov %rsi, %rsp\n"
        "    pop %r15\n    pop %r14\n    pop %r13\n    pop %r12\n    pop %rbx\n    pop %rbp\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size bpor_swap_stacks, .-bpor_swap_stacks\n");

__asm__(".text\n"
        ".type bpor_context_note,@function\n"
        ".globl bpor_context_note\n"
        ".hidden bpor_context_note\n"
        "bpor_context_note:\n"
        "    .cfi_startproc\n"
        "    mov %rbx, (%rdi)\n    mov %rbp, 8(%rdi)\n"
        "    mov %r12, 16(%rdi)\n    mov %r13, 24(%rdi)\n    mov %r14, 32(%rdi)\n    mov %r15, 40(%rdi)\n"
        "    lea 8(%rsp), %rax\n    mov %rax, 48(%rdi)\n"
        "    mov (%rsp), %rax\n    mov %rax, 56(%rdi)\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size bpor_context_note, .-bpor_context_note\n");

static void set_thread_pointer(uint64_t value)
{
    if (has_wrfsbase)
        __asm__ volatile("wrfsbase %0" : : "r"(value) : "memory");
    else
        sys_call3(SYS_arch_prctl, ARCH_SET_FS, value, 0);
}

/* An area of xsave in which no component was saved. Some processors read all of it, and fault where it cannot be read, so it does
 * not lie on a stack, which may have less room left. */
static struct {
    uint8_t before[24];
    uint32_t mxcsr;
    uint8_t rest[4068]; /* no component was saved, says the header */
} nothing __attribute__((aligned(64)));
enum { UPPER_HALVES = 1 << 2, MASKS = 1 << 5, HIGH_VECTORS = 1 << 6 | 1 << 7, WIDE = UPPER_HALVES | MASKS | HIGH_VECTORS };

/* xrstor with an empty header clears the upper parts of the vectors, registers 16 to 31 and the masks. It also loads the rounding
 * mode and its like, which are therefore kept, and are not left behind in static memory. */
void bpor_context_clear_wide(void)
{
    if (!has_xsave)
        return;
    __asm__ volatile("stmxcsr %0" : "=m"(nothing.mxcsr));
    __asm__ volatile("xrstor64 %0" : : "m"(nothing), "a"(WIDE), "d"(0));
    nothing.mxcsr = 0;
}

/* Is there room for every component that the processor has? */
static bool has_room(void)
{
    for (unsigned component = 0; WIDE >> component; component++) {
        unsigned size, offset, c, d;
        if (!(WIDE >> component & 1))
            continue;
        __cpuid_count(0xd, component, size, offset, c, d);
        if (offset + size > sizeof nothing)
            return false;
    }
    return true;
}

void bpor_context_prepare(void)
{
    unsigned a, b, c = 0, d;
    has_xsave = __get_cpuid(1, &a, &b, &c, &d) && c & bit_OSXSAVE && has_room();
    has_wrfsbase = getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE_BIT;
    bpor_control_state_prepare();
}

bool bpor_shadow_stack_active(void)
{
    uint64_t features = 0;
    return sys_call3(SYS_arch_prctl, SHADOW_STACK_STATUS, &features, 0) >= 0 && features != 0;
}

const char *bpor_context_problem(void)
{
    if (bpor_shadow_stack_active())
        return "the processor's shadow stack is active, which a switch by hand would break";
    return bpor_control_state_problem();
}

/* No TLS, no stack protector between the two halves: fs and the stack belong together. */
__attribute__((noinline, optimize("no-stack-protector"))) void bpor_context_switch(struct context *from, const struct context *to)
{
    bpor_control_state_save(&from->control);
    bpor_control_state_load(&to->control, &from->control);
    set_thread_pointer(to->thread_pointer);
    bpor_swap_stacks(&from->stack, to->stack);
}

void bpor_context_make(struct context *context, void *stack_top, uint64_t thread_pointer, void (*entry)(void))
{
    enum { REGISTERS = 6 };
    uint64_t *top = (uint64_t *)((uintptr_t)stack_top & ~(uintptr_t)15);
    *--top = 0; /* entry's return address: none, and the end of every backtrace */
    *--top = (uint64_t)entry;
    for (unsigned i = 0; i < REGISTERS; i++)
        *--top = 0;
    context->stack = (uint64_t)top;
    context->thread_pointer = thread_pointer;
    bpor_control_state_save(&context->control);
}
