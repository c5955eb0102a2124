// Waiting for several futexes at once is refused at the call, by name.
// says: SYS_futex_waitv
// expect: uncontrolled
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif

int main(void)
{
    return syscall(SYS_futex_waitv, NULL, 0, 0, NULL, 0) == -1 ? 0 : 1;
}
