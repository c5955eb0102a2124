// A reader that hangs up early: the writer is killed by SIGPIPE, but only if the close comes first.
// says: SIGPIPE
// bound none: crash, traces 2
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *hang_up(void *unused)
{
    close(ends[0]);
    return unused;
}

int main(void)
{
    pthread_t thread;
    if (pipe(ends) != 0)
        return 1;
    pthread_create(&thread, NULL, hang_up, NULL);
    if (write(ends[1], "x", 1) != 1)
        return 1;
    pthread_join(thread, NULL);
    return 0;
}
