// A file is read into memory at which another thread looks right after it has written the file. What it finds may be the old contents, the
// new ones, or what was in the memory before: the call reads the file and fills the memory at two moments, and each may come first.
// bound preemption:1: assertion
// with WRONG=1, bound preemption:1: assertion
// with WRONG=2, bound preemption:1: assertion
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#ifndef WRONG
#define WRONG 0
#endif

static int fd;
static char memory, seen;

static void *reads(void *unused)
{
    pread(fd, &memory, 1, 0);
    return unused;
}

static void *writes(void *unused)
{
    pwrite(fd, "2", 1, 0);
    seen = memory;
    return unused;
}

int main(void)
{
    pthread_t one, two;
    char name[] = "/tmp/bporXXXXXX";
    fd = mkstemp(name);
    unlink(name);
    pwrite(fd, "1", 1, 0);
    memory = '0';
    pthread_create(&one, NULL, reads, NULL);
    pthread_create(&two, NULL, writes, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(seen != "012"[WRONG]);
    return 0;
}
