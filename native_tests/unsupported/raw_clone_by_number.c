// A thread made by the number of clone3 has no pthread behind it: refused at the call, by name.
// says: SYS_clone3
// expect: uncontrolled
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
    return syscall(SYS_clone3, NULL, 0) == -1 ? 0 : 1;
}
