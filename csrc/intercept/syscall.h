/* What syscall() hands to the families: the arguments as the kernel would get them; the answer as libc would give it. */
#ifndef BPOR_SYSCALL_H
#define BPOR_SYSCALL_H
#include <stdbool.h>

long bpor_futex(const long argument[6], const void *site);
/* fork, clone and exec by number, in processes that are not controlled too; false: it is another call. */
bool bpor_copy_by_number(long number, const long argument[6], long *answer);
#endif
