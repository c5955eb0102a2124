#include "arch/x86_64/vectors.h"
#include <cpuid.h>
#include <stdint.h>

/* Components of the state, as the processor numbers them (XCR0). */
enum { X87 = 1, SSE = 2, AVX = 4, AVX512 = 0xe0, EXTENDED_STATE_LEAF = 0xd, XGETBV_OF_USE_BIT = 1 << 2, FEATURES_LEAF = 7 };

uint32_t bpor_vectors_present; /* components that this processor has, in a system that lets them be used */
uint32_t bpor_vectors_tell_use;

/* An area: what fxsave writes; the vectors, 64 bytes each; the masks; which components were in use; the control of the vectors'
 * arithmetic, and room for another. */
#define LOW "512"
#define HIGH "1536"
#define MASKS "2560"
#define IN_USE "2624"
#define CONTROL "2628"
#define CONTROL_NOW "2632"
#define EACH_LOW ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n"
#define EACH_HIGH ".irp n, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31\n"
#define EACH_MASK ".irp n, 0, 1, 2, 3, 4, 5, 6, 7\n"

__asm__(".text\n"
        ".type bpor_vectors_save,@function\n"
        ".globl bpor_vectors_save\n"
        ".hidden bpor_vectors_save\n"
        "bpor_vectors_save:\n"
        "    mov bpor_vectors_present(%rip), %eax\n"
        "    cmpl $0, bpor_vectors_tell_use(%rip)\n"
        "    je 1f\n"
        "    mov $1, %ecx\n"
        "    xgetbv\n"
        "1:  mov %eax, " IN_USE "(%rdi)\n"
        "    stmxcsr " CONTROL "(%rdi)\n"
        "    test $0x01, %al\n"
        "    jz 2f\n"
        "    fxsave64 (%rdi)\n"
        "2:  test $0x44, %al\n"
        "    jnz 3f\n" EACH_LOW "    movaps %xmm\\n, " LOW " + 64 * \\n(%rdi)\n.endr\n"
        "    jmp 5f\n"
        "3:  test $0x40, %al\n"
        "    jnz 4f\n" EACH_LOW "    vmovaps %ymm\\n, " LOW " + 64 * \\n(%rdi)\n.endr\n"
        "    jmp 5f\n"
        "4:\n" EACH_LOW "    vmovaps %zmm\\n, " LOW " + 64 * \\n(%rdi)\n.endr\n"
        "5:  test $0x80, %al\n"
        "    jz 6f\n" EACH_HIGH "    vmovaps %zmm\\n, " HIGH " + 64 * (\\n - 16)(%rdi)\n.endr\n"
        "6:  test $0x20, %al\n"
        "    jz 7f\n" EACH_MASK "    kmovq %k\\n, " MASKS " + 8 * \\n(%rdi)\n.endr\n"
        "7:  ret\n"
        ".size bpor_vectors_save, .-bpor_vectors_save\n"

        ".type bpor_vectors_restore,@function\n"
        ".globl bpor_vectors_restore\n"
        ".hidden bpor_vectors_restore\n"
        "bpor_vectors_restore:\n"
        "    mov " IN_USE "(%rdi), %eax\n"
        "    mov bpor_vectors_present(%rip), %edx\n"
        "    test $0x01, %al\n"
        "    jz 1f\n"
        "    fxrstor64 (%rdi)\n"
        "1:  stmxcsr " CONTROL_NOW "(%rdi)\n"
        "    mov " CONTROL_NOW "(%rdi), %ecx\n"
        "    cmp " CONTROL "(%rdi), %ecx\n"
        "    je 2f\n"
        "    ldmxcsr " CONTROL "(%rdi)\n"
        "2:  test $0x04, %dl\n"
        "    jz 3f\n"
        "    vzeroupper\n" /* the upper halves of those that were not in use */
        "3:  test $0x44, %al\n"
        "    jnz 4f\n" EACH_LOW "    movaps " LOW " + 64 * \\n(%rdi), %xmm\\n\n.endr\n"
        "    jmp 6f\n"
        "4:  test $0x40, %al\n"
        "    jnz 5f\n" EACH_LOW "    vmovaps " LOW " + 64 * \\n(%rdi), %ymm\\n\n.endr\n"
        "    jmp 6f\n"
        "5:\n" EACH_LOW "    vmovaps " LOW " + 64 * \\n(%rdi), %zmm\\n\n.endr\n"
        "6:  test $0x80, %dl\n"
        "    jz 9f\n"
        "    test $0x80, %al\n"
        "    jz 7f\n" EACH_HIGH "    vmovaps " HIGH " + 64 * (\\n - 16)(%rdi), %zmm\\n\n.endr\n"
        "    jmp 8f\n"
        "7:\n" EACH_HIGH "    vpxord %zmm\\n, %zmm\\n, %zmm\\n\n.endr\n"
        "8:  test $0x20, %al\n"
        "    jz 10f\n" EACH_MASK "    kmovq " MASKS " + 8 * \\n(%rdi), %k\\n\n.endr\n"
        "9:  ret\n"
        "10:\n" EACH_MASK "    kxorq %k\\n, %k\\n, %k\\n\n.endr\n"
        "    ret\n"
        ".size bpor_vectors_restore, .-bpor_vectors_restore\n");

static uint32_t enabled(void)
{
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low & (X87 | SSE | AVX | AVX512);
}

/* Three components make AVX-512, all of them or none. Masks of 64 bits came with the second processor that had it. */
bool bpor_vectors_prepare(void)
{
    uint32_t a = 0, b = 0, c = 0, d = 0;
    bpor_vectors_present = X87 | SSE;
    if (__get_cpuid(1, &a, &b, &c, &d) && c & bit_OSXSAVE)
        bpor_vectors_present = enabled();
    bpor_vectors_tell_use = __get_cpuid_count(EXTENDED_STATE_LEAF, 1, &a, &b, &c, &d) && a & XGETBV_OF_USE_BIT;
    if (!(bpor_vectors_present & AVX512))
        return true;
    return (bpor_vectors_present & AVX512) == AVX512 && __get_cpuid_count(FEATURES_LEAF, 0, &a, &b, &c, &d) && b & bit_AVX512BW;
}
