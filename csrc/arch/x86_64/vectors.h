/* Registers that are the program's and that our code, or another thread, may change while an access is told: vectors of 16, 32
 * and 64 bytes, masks, x87 and MMX. The control of their arithmetic is not changed by code of ours, and is switched with the
 * thread (control_state.h).
 *
 * The registers are saved by moves, because xsave and xrstor together take 160 ns, which is ten times as long. They are stored
 * without gaps, because each stack page that an execution writes has to be put back. The processor knows which registers are in
 * use (XINUSE, Intel's manual, volume 1, 13.6); the others are zero. */
#ifndef BPOR_VECTORS_H
#define BPOR_VECTORS_H
#include <stdbool.h>
#include <stdint.h>

/* Once, before the first use. False: this processor has registers that are not known here. */
bool bpor_vectors_prepare(void);
extern uint32_t bpor_vectors_present; /* components that this processor has, in a system that lets them be used */
extern uint32_t bpor_vectors_tell_use;

#define EACH_LOW ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n"
#define EACH_HIGH ".irp n, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31\n"
#define EACH_MASK ".irp n, 0, 1, 2, 3, 4, 5, 6, 7\n"

/* Onto the stack, which is aligned to 64; at most 2,624 bytes. Changes rax, rcx and rdx; in ebx is what was in use, by the
 * numbers of XCR0: 1 x87, 4 and 0x40 the middle and the upper part of the first sixteen vectors, 0x80 the others, 0x20 the masks;
 * and 0x100. `keeps_high` tests, for that, whether the program may have anything in the last two. The number of the lower part,
 * 2, is left out: nobody asks for it, the kernel may change it when it interrupts the thread, and ebx is part of a state. */
#define VECTORS_SAVE(keeps_high)                                                                                                 \
    "    mov bpor_vectors_present(%rip), %eax\n"                                                                                 \
    "    cmpl $0, bpor_vectors_tell_use(%rip)\n"                                                                                 \
    "    je 21f\n"                                                                                                               \
    "    mov $1, %ecx\n"                                                                                                         \
    "    xgetbv\n"                                                                                                               \
    "21: movzbl %al, %ebx\n"                                                                                                     \
    "    and $0xe5, %bl\n"                                                                                                       \
    "    " keeps_high "\n"                                                                                                       \
    "    jz 23f\n"                                                                                                               \
    "    or $0x100, %ebx\n"                                                                                                      \
    "    sub $64, %rsp\n"                                                                                                        \
    "    test $0x20, %bl\n"                                                                                                      \
    "    jz 22f\n" EACH_MASK "    kmovq %k\\n, 8 * \\n(%rsp)\n.endr\n"                                                           \
    "22: test $0x80, %bl\n"                                                                                                      \
    "    jz 23f\n"                                                                                                               \
    "    sub $1024, %rsp\n" EACH_HIGH "    vmovaps %zmm\\n, 64 * (\\n - 16)(%rsp)\n.endr\n"                                      \
    "23: test $0x44, %bl\n"                                                                                                      \
    "    jnz 24f\n"                                                                                                              \
    "    sub $256, %rsp\n" EACH_LOW "    movaps %xmm\\n, 16 * \\n(%rsp)\n.endr\n"                                                \
    "    jmp 26f\n"                                                                                                              \
    "24: test $0x40, %bl\n"                                                                                                      \
    "    jnz 25f\n"                                                                                                              \
    "    sub $512, %rsp\n" EACH_LOW "    vmovaps %ymm\\n, 32 * \\n(%rsp)\n.endr\n"                                               \
    "    jmp 26f\n"                                                                                                              \
    "25: sub $1024, %rsp\n" EACH_LOW "    vmovaps %zmm\\n, 64 * \\n(%rsp)\n.endr\n"                                              \
    "26: test $0x01, %bl\n"                                                                                                      \
    "    jz 27f\n"                                                                                                               \
    "    sub $512, %rsp\n"                                                                                                       \
    "    fxsave64 (%rsp)\n"                                                                                                      \
    "27:\n"

/* And back. Parts that were not in use are zero, whatever ran in between. Changes no other general register. */
#define VECTORS_RESTORE                                                                                                          \
    "    test $0x01, %bl\n"                                                                                                      \
    "    jz 31f\n"                                                                                                               \
    "    fxrstor64 (%rsp)\n"                                                                                                     \
    "    add $512, %rsp\n"                                                                                                       \
    "31: testb $0x04, bpor_vectors_present(%rip)\n"                                                                              \
    "    jz 32f\n"                                                                                                               \
    "    vzeroupper\n"                                                                                                           \
    "32: test $0x44, %bl\n"                                                                                                      \
    "    jnz 33f\n" EACH_LOW "    movaps 16 * \\n(%rsp), %xmm\\n\n.endr\n"                                                       \
    "    add $256, %rsp\n"                                                                                                       \
    "    jmp 35f\n"                                                                                                              \
    "33: test $0x40, %bl\n"                                                                                                      \
    "    jnz 34f\n" EACH_LOW "    vmovaps 32 * \\n(%rsp), %ymm\\n\n.endr\n"                                                      \
    "    add $512, %rsp\n"                                                                                                       \
    "    jmp 35f\n"                                                                                                              \
    "34:\n" EACH_LOW "    vmovaps 64 * \\n(%rsp), %zmm\\n\n.endr\n"                                                              \
    "    add $1024, %rsp\n"                                                                                                      \
    "35: test $0x100, %ebx\n"                                                                                                    \
    "    jz 39f\n"                                                                                                               \
    "    testb $0x80, bpor_vectors_present(%rip)\n"                                                                              \
    "    jz 39f\n"                                                                                                               \
    "    test $0x80, %bl\n"                                                                                                      \
    "    jz 36f\n" EACH_HIGH "    vmovaps 64 * (\\n - 16)(%rsp), %zmm\\n\n.endr\n"                                               \
    "    add $1024, %rsp\n"                                                                                                      \
    "    jmp 37f\n"                                                                                                              \
    "36:\n" EACH_HIGH "    vpxord %zmm\\n, %zmm\\n, %zmm\\n\n.endr\n"                                                            \
    "37: test $0x20, %bl\n"                                                                                                      \
    "    jnz 38f\n" EACH_MASK "    kxorq %k\\n, %k\\n, %k\\n\n.endr\n"                                                           \
    "    jmp 39f\n"                                                                                                              \
    "38:\n" EACH_MASK "    kmovq 8 * \\n(%rsp), %k\\n\n.endr\n"                                                                  \
    "39:\n"
#endif
