/* The instruction of a system call. */
#ifndef BPOR_SYSTEM_CALL_H
#define BPOR_SYSTEM_CALL_H

enum { SYSTEM_CALL_BYTES = 2 };

static inline long sys_call6(long number, long a, long b, long c, long d, long e, long f)
{
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

#endif
