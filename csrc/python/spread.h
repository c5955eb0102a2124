/* A function in front of another one of whatever arguments: `visit(number, arguments in registers, return address, those on the
 * stack)` returns the one to go on with. The number is in %r11; arguments in registers and on the stack are as the caller left
 * them, and the function returns to the caller. */
#ifndef BPOR_SPREAD_H
#define BPOR_SPREAD_H

#define SPREAD(name, visit)                                                                                                      \
    __asm__(".text\n"                                                                                                            \
            ".type " name ", @function\n" name ":\n"                                                                             \
            "    .cfi_startproc\n"                                                                                               \
            "    pushq %rbp\n"                                                                                                   \
            "    .cfi_def_cfa_offset 16\n"                                                                                       \
            "    .cfi_offset %rbp, -16\n"                                                                                        \
            "    movq %rsp, %rbp\n"                                                                                              \
            "    .cfi_def_cfa_register %rbp\n"                                                                                   \
            "    subq $192, %rsp\n"                                                                                              \
            "    andq $-16, %rsp\n"                                                                                              \
            "    movq %rdi, 0(%rsp)\n"                                                                                           \
            "    movq %rsi, 8(%rsp)\n"                                                                                           \
            "    movq %rdx, 16(%rsp)\n"                                                                                          \
            "    movq %rcx, 24(%rsp)\n"                                                                                          \
            "    movq %r8, 32(%rsp)\n"                                                                                           \
            "    movq %r9, 40(%rsp)\n"                                                                                           \
            "    movq %rax, 48(%rsp)\n"                                                                                          \
            "    movups %xmm0, 64(%rsp)\n"                                                                                       \
            "    movups %xmm1, 80(%rsp)\n"                                                                                       \
            "    movups %xmm2, 96(%rsp)\n"                                                                                       \
            "    movups %xmm3, 112(%rsp)\n"                                                                                      \
            "    movups %xmm4, 128(%rsp)\n"                                                                                      \
            "    movups %xmm5, 144(%rsp)\n"                                                                                      \
            "    movups %xmm6, 160(%rsp)\n"                                                                                      \
            "    movups %xmm7, 176(%rsp)\n"                                                                                      \
            "    movl %r11d, %edi\n"                                                                                             \
            "    movq %rsp, %rsi\n"                                                                                              \
            "    movq 8(%rbp), %rdx\n"                                                                                           \
            "    leaq 16(%rbp), %rcx\n"                                                                                          \
            "    call " visit "\n"                                                                                               \
            "    movq %rax, %r11\n"                                                                                              \
            "    movq 0(%rsp), %rdi\n"                                                                                           \
            "    movq 8(%rsp), %rsi\n"                                                                                           \
            "    movq 16(%rsp), %rdx\n"                                                                                          \
            "    movq 24(%rsp), %rcx\n"                                                                                          \
            "    movq 32(%rsp), %r8\n"                                                                                           \
            "    movq 40(%rsp), %r9\n"                                                                                           \
            "    movq 48(%rsp), %rax\n"                                                                                          \
            "    movups 64(%rsp), %xmm0\n"                                                                                       \
            "    movups 80(%rsp), %xmm1\n"                                                                                       \
            "    movups 96(%rsp), %xmm2\n"                                                                                       \
            "    movups 112(%rsp), %xmm3\n"                                                                                      \
            "    movups 128(%rsp), %xmm4\n"                                                                                      \
            "    movups 144(%rsp), %xmm5\n"                                                                                      \
            "    movups 160(%rsp), %xmm6\n"                                                                                      \
            "    movups 176(%rsp), %xmm7\n"                                                                                      \
            "    movq %rbp, %rsp\n"                                                                                              \
            "    popq %rbp\n"                                                                                                    \
            "    .cfi_def_cfa %rsp, 8\n"                                                                                         \
            "    jmp *%r11\n"                                                                                                    \
            "    .cfi_endproc\n"                                                                                                 \
            ".size " name ", . - " name "\n")
#endif
