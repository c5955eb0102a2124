// A lock of a file that somebody holds blocks in the kernel: refused at the call that would wait, not at the first.
// says: flock
// expect: uncontrolled
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

int main(void)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/locked", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    int first = open(path, O_CREAT | O_RDWR, 0600), second = open(path, O_RDWR);
    unlink(path);
    if (flock(first, LOCK_EX) != 0)
        return 1;
    return flock(second, LOCK_EX);
}
