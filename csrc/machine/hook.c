/* From a trampoline to C. The program's registers are on the stack as struct site_frame; its vector registers are saved only when
 * the access needs more than a quick look, because that may call libc or let another thread run on this processor. */
#include "machine/machine.h"
#include <cpuid.h>

uint32_t bpor_machine_compact;

/* Everything but the protection keys, which are not the program's to change in between, and tiles. */
#define STATE "$0xe7"
/* x87, vectors of 16, 32 and 64 bytes, and masks: less than 2,700 bytes, with the header at 512. */
#define ROOM "4096"
/* What lies on a stack is part of a state (state/identity.c). Where states are to come back, what earlier calls left where these
 * registers and the frames of the first functions will lie is cleared: they do not write all of it. */
#define CLEARED "6144"

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
        "    xor %ebx, %ebx\n"
        "    test %al, %al\n"
        "    jnz 3f\n"
        "    xor %eax, %eax\n"
        "    cmpl $0, bpor_clears_stacks(%rip)\n"
        "    je 4f\n"
        "    lea -" CLEARED "(%r12), %rdi\n"
        "    mov $" CLEARED " / 8, %ecx\n"
        "    rep stosq\n"
        "4:  sub $" ROOM ", %rsp\n"
        "    mov %rax, 512(%rsp)\n    mov %rax, 520(%rsp)\n    mov %rax, 528(%rsp)\n    mov %rax, 536(%rsp)\n"
        "    mov %rax, 544(%rsp)\n    mov %rax, 552(%rsp)\n    mov %rax, 560(%rsp)\n    mov %rax, 568(%rsp)\n"
        "    xor %edx, %edx\n"
        "    mov " STATE ", %eax\n"
        "    cmpl $0, bpor_machine_compact(%rip)\n"
        "    je 1f\n"
        "    xsavec64 (%rsp)\n"
        "    jmp 2f\n"
        "1:  xsave64 (%rsp)\n"
        "2:  mov %r13, %rdi\n    mov %r14, %rsi\n    mov %r12, %rdx\n    mov %r15, %rcx\n"
        "    call bpor_machine_tell\n"
        "    movzbl %al, %ebx\n"
        "    xor %edx, %edx\n"
        "    mov " STATE ", %eax\n"
        "    xrstor64 (%rsp)\n"
        "3:  mov %ebx, %eax\n"
        "    lea -40(%rbp), %rsp\n"
        "    pop %r15\n    pop %r14\n    pop %r13\n    pop %r12\n    pop %rbx\n    pop %rbp\n"
        "    .cfi_def_cfa %rsp, 8\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size bpor_machine_hook, .-bpor_machine_hook\n");

bool bpor_machine_prepare(void)
{
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
        return false;
    bpor_machine_compact = __get_cpuid_count(0xd, 1, &a, &b, &c, &d) && a & 2;
    return true;
}
