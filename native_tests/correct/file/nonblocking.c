// A descriptor that does not block answers EAGAIN; a loop over it waits by trying again, which counts as yielding.
// bound fair:2,preemption:1: pass
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
    assert(read(ends[0], &byte, 1) == -1 && errno == EAGAIN);
    pthread_create(&thread, NULL, send, NULL);
    while (read(ends[0], &byte, 1) != 1)
        assert(errno == EAGAIN);
    pthread_join(thread, NULL);
    return 0;
}
