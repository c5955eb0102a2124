// A pipe is told not to block while a thread is about to read it: from then on a read fails where there is nothing to read.
// says: is false
// bound preemption:0: assertion
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *read_one(void *unused)
{
    char byte;
    ssize_t got = read(ends[0], &byte, 1);
    assert(got == 1);
    return unused;
}

static void *change(void *unused)
{
    assert(fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    assert(pipe(ends) == 0);
    pthread_create(&one, NULL, read_one, NULL);
    pthread_create(&two, NULL, change, NULL);
    pthread_join(two, NULL);
    assert(write(ends[1], "x", 1) == 1);
    pthread_join(one, NULL);
    return 0;
}
