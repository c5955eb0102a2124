// The reader waits for the end of file of a pipe whose other end it holds open itself.
// needs: pipe read write close
// bound preemption:0: deadlock
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *send(void *unused)
{
    if (write(ends[1], "x", 1) != 1)
        _exit(1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    char byte;
    if (pipe(ends) != 0)
        return 1;
    pthread_create(&thread, NULL, send, NULL);
    while (read(ends[0], &byte, 1) > 0)
        continue;
    pthread_join(thread, NULL);
    return 0;
}
