/* Called in the midst of a copy (assembler/copies.c), where the compiler expects no call: it keeps all registers and the flags.
 * Of the vectors their lower 16 bytes: a copy with wider ones is not parted, and what they held before ended with the call
 * before it. In a module of its own name, and in the preload library for modules that were linked without the stub. */
#ifndef BPOR_COPY_REST_H
#define BPOR_COPY_REST_H

#define EACH_VECTOR ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n"
#define HIDDEN_REST ".hidden bpor_copy_rest\n"
#define INTERCEPTED_REST ""
#define COPY_REST(visibility)                                                                                                    \
    __asm__(".text\n"                                                                                                            \
            ".type bpor_copy_rest,@function\n"                                                                                   \
            ".globl bpor_copy_rest\n" visibility "bpor_copy_rest:\n"                                                             \
            "    .cfi_startproc\n"                                                                                               \
            "    push %rbp\n"                                                                                                    \
            "    .cfi_def_cfa_offset 16\n"                                                                                       \
            "    .cfi_offset %rbp, -16\n"                                                                                        \
            "    mov %rsp, %rbp\n"                                                                                               \
            "    .cfi_def_cfa_register %rbp\n"                                                                                   \
            "    pushfq\n"                                                                                                       \
            "    push %rax\n    push %rcx\n    push %rdx\n    push %rsi\n    push %rdi\n"                                        \
            "    push %r8\n    push %r9\n    push %r10\n    push %r11\n"                                                         \
            "    sub $256, %rsp\n"                                                                                               \
            "    and $-16, %rsp\n" EACH_VECTOR "    movaps %xmm\\n, 16 * \\n(%rsp)\n.endr\n"                                     \
            "    cld\n"                                                                                                          \
            "    call bpor_copy_other_half@PLT\n" EACH_VECTOR "    movaps 16 * \\n(%rsp), %xmm\\n\n.endr\n"                      \
            "    lea -80(%rbp), %rsp\n"                                                                                          \
            "    pop %r11\n    pop %r10\n    pop %r9\n    pop %r8\n"                                                             \
            "    pop %rdi\n    pop %rsi\n    pop %rdx\n    pop %rcx\n    pop %rax\n"                                             \
            "    popfq\n"                                                                                                        \
            "    pop %rbp\n"                                                                                                     \
            "    .cfi_def_cfa %rsp, 8\n"                                                                                         \
            "    ret\n"                                                                                                          \
            "    .cfi_endproc\n"                                                                                                 \
            ".size bpor_copy_rest, .-bpor_copy_rest\n")
#endif
