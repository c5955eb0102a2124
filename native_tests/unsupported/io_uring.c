// A ring of io_uring works beside the threads: refused at the call, by name.
// says: io_uring_setup
// expect: uncontrolled
#define _GNU_SOURCE
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
    char parameters[256];
    memset(parameters, 0, sizeof parameters);
    return syscall(SYS_io_uring_setup, 4, parameters) >= 0 ? 0 : 1;
}
