#include "arch/x86_64/signal_return.h"

__asm__(".text\n"
        ".globl bpor_guard_restorer\n.hidden bpor_guard_restorer\n"
        "bpor_guard_restorer:\n    mov $15, %eax\n    syscall\n"
        ".globl bpor_guard_return_at\n.hidden bpor_guard_return_at\n"
        "bpor_guard_return_at:\n    mov %rdi, %rsp\n    mov $15, %eax\n    syscall\n");
