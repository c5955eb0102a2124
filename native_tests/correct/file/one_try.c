// A single try beside a writer either finds the byte or does not: two traces, and both ends are right.
// bound none: pass, traces 2
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *send(void *unused)
{
    assert(write(ends[1], "x", 1) == 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    char byte;
    assert(pipe2(ends, O_NONBLOCK) == 0);
    pthread_create(&thread, NULL, send, NULL);
    long got = read(ends[0], &byte, 1);
    assert(got == 1 || errno == EAGAIN);
    pthread_join(thread, NULL);
    assert(got == 1 || read(ends[0], &byte, 1) == 1);
    return 0;
}
