#include "arch/x86_64/signal_return.h"

/* The unwinder looks for the function in which the byte before a return address lies. That byte is a nop of our own. Without it,
 * the byte would belong to whatever function the linker put before this one, and the unwinder would use the unwind table of that
 * function. */
__asm__(".text\n"
        "    nop\n"
        ".globl bpor_guard_restorer\n.hidden bpor_guard_restorer\n"
        "bpor_guard_restorer:\n    mov $15, %eax\n    syscall\n"
        ".globl bpor_guard_return_at\n.hidden bpor_guard_return_at\n"
        "bpor_guard_return_at:\n    mov %rdi, %rsp\n    mov $15, %eax\n    syscall\n");
