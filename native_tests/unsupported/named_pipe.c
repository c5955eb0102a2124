// A pipe with a name may be written by anybody: reading it is refused at the call, with a way out.
// says: from outside the program
// expect: uncontrolled
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void)
{
    char path[4096], byte;
    snprintf(path, sizeof path, "%s/fifo", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    if (mkfifo(path, 0600) != 0)
        return 1;
    int fd = open(path, O_RDWR);
    unlink(path);
    return read(fd, &byte, 1) == 1 ? 0 : 1;
}
