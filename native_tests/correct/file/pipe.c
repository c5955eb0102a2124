// A pipe between two threads: the reader waits for each byte, the end of file comes with the close.
// needs: pipe read write close
// bound none: pass
// bound preemption:1: pass
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *send(void *unused)
{
    assert(write(ends[1], "ab", 2) == 2);
    assert(close(ends[1]) == 0);
    return unused;
}

int main(void)
{
    pthread_t thread;
    char byte;
    assert(pipe(ends) == 0);
    pthread_create(&thread, NULL, send, NULL);
    assert(read(ends[0], &byte, 1) == 1 && byte == 'a');
    assert(read(ends[0], &byte, 1) == 1 && byte == 'b');
    assert(read(ends[0], &byte, 1) == 0);
    pthread_join(thread, NULL);
    return 0;
}
