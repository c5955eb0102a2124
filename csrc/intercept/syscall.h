/* What syscall() hands to the families: the arguments as the kernel would get them; the answer as libc would give it. */
#ifndef BPOR_SYSCALL_H
#define BPOR_SYSCALL_H

long bpor_futex(const long argument[6], const void *site);
#endif
