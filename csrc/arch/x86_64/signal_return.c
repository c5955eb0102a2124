#include "arch/x86_64/signal_return.h"

/* The unwinder looks for the function that the byte before a return address lies in. That byte is a nop of our own: without it,
 * it is the end of whatever function the linker put before, whose frame the unwinder would then take this one for. */
__asm__(".text\n"
        "    nop\n"
        ".globl bpor_guard_restorer\n.hidden bpor_guard_restorer\n"
        "bpor_guard_restorer:\n    mov $15, %eax\n    syscall\n"
        ".globl bpor_guard_return_at\n.hidden bpor_guard_return_at\n"
        "bpor_guard_return_at:\n    mov %rdi, %rsp\n    mov $15, %eax\n    syscall\n");
