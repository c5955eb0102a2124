/* From a trampoline to C. The program's registers are on the stack as struct site_frame; its vector registers are saved only when
 * the access needs more than a quick look, because that may call libc or let another thread run on this processor. */
#include "arch/x86_64/vectors.h"
#include "machine/machine.h"

/* What lies on a stack is part of a state (state/identity.c). Where states are to come back, what earlier calls left where these
 * registers and the frames of the first functions will lie is cleared: they do not write all of it. */
#define CLEARED "6144"
#define SAVE_VECTORS VECTORS_SAVE("testb $1, 13(%r14)") /* the site's `vex` */
_Static_assert(offsetof(struct site, vex) == 13, "as above");

__asm__(".text\n"
        ".type bpor_machine_hook,@function\n"
        ".globl bpor_machine_hook\n"
        ".hidden bpor_machine_hook\n"
        "bpor_machine_hook:\n"
        "    .cfi_startproc\n"
        "    push %rbp\n"
        "    .cfi_def_cfa_offset 16\n"
        "    .cfi_offset %rbp, -16\n"
        "    mov %rsp, %rbp\n"
        "    .cfi_def_cfa_register %rbp\n"
        "    push %rbx\n    push %r12\n    push %r13\n    push %r14\n    push %r15\n"
        "    .cfi_offset %rbx, -24\n    .cfi_offset %r12, -32\n    .cfi_offset %r13, -40\n"
        "    .cfi_offset %r14, -48\n    .cfi_offset %r15, -56\n"
        "    mov %rsp, %r12\n"
        "    mov %rdi, %r13\n    mov %rsi, %r14\n    mov %rdx, %r15\n"
        "    and $-64, %rsp\n"
        "    cld\n"
        "    call bpor_machine_quick\n"
        "    test %al, %al\n"
        "    jnz 2f\n"
        "    cmpl $0, bpor_clears_stacks(%rip)\n"
        "    je 1f\n"
        "    xor %eax, %eax\n"
        "    lea -" CLEARED "(%r12), %rdi\n"
        "    mov $" CLEARED " / 8, %ecx\n"
        "    rep stosq\n"
        "1:\n" SAVE_VECTORS "    mov %r13, %rdi\n    mov %r14, %rsi\n    mov %r12, %rdx\n    mov %r15, %rcx\n"
        "    call bpor_machine_tell\n"
        "    movzbl %al, %eax\n" VECTORS_RESTORE "    jmp 3f\n"
        "2:  xor %eax, %eax\n"
        "3:  lea -40(%rbp), %rsp\n"
        "    pop %r15\n    pop %r14\n    pop %r13\n    pop %r12\n    pop %rbx\n    pop %rbp\n"
        "    .cfi_def_cfa %rsp, 8\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size bpor_machine_hook, .-bpor_machine_hook\n");
