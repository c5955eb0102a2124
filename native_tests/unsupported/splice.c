// Moving data between pipes inside the kernel may block half-way: refused at the call, by name.
// says: splice
// expect: uncontrolled
#define _GNU_SOURCE
#include <fcntl.h>
#include <unistd.h>

int main(void)
{
    int from[2], to[2];
    if (pipe(from) != 0 || pipe(to) != 0 || write(from[1], "x", 1) != 1)
        return 1;
    return splice(from[0], NULL, to[1], NULL, 1, 0) == 1 ? 0 : 1;
}
