/* System calls made directly: libc's wrappers may be interposed, by us or by the target, and set its errno.
 * Each returns the kernel's answer: negative errno on failure. */
#ifndef BPOR_SYS_H
#define BPOR_SYS_H
#include "arch/x86_64/system_call.h"
#include <stdint.h>
#include <sys/syscall.h>

#define SYS_ARGUMENT(x) ((long)(x))
#define sys_call3(number, a, b, c) sys_call6(number, SYS_ARGUMENT(a), SYS_ARGUMENT(b), SYS_ARGUMENT(c), 0, 0, 0)
#define sys_call4(number, a, b, c, d) sys_call6(number, SYS_ARGUMENT(a), SYS_ARGUMENT(b), SYS_ARGUMENT(c), SYS_ARGUMENT(d), 0, 0)

static inline long sys_read(int fd, void *buffer, unsigned long bytes)
{
    return sys_call3(SYS_read, fd, buffer, bytes);
}

static inline long sys_write(int fd, const void *buffer, unsigned long bytes)
{
    return sys_call3(SYS_write, fd, buffer, bytes);
}

static inline int sys_gettid(void)
{
    return (int)sys_call3(SYS_gettid, 0, 0, 0);
}

static inline int sys_getpid(void)
{
    return (int)sys_call3(SYS_getpid, 0, 0, 0);
}

__attribute__((noreturn)) static inline void sys_exit_group(int status)
{
    for (;;)
        sys_call3(SYS_exit_group, status, 0, 0);
}
#endif
