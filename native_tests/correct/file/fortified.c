// The checked names that hardened builds call, __read_chk and __poll_chk, are the same operations.
// flags: -O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
// bound none: pass
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static int ends[2];

static void *send(void *unused)
{
    assert(write(ends[1], "abc", 3) == 3);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    char buffer[8];
    (void)argv;
    assert(pipe(ends) == 0);
    struct pollfd set[2] = {{.fd = ends[0], .events = POLLIN}, {.fd = -1}};
    pthread_create(&thread, NULL, send, NULL);
    assert(poll(set, (nfds_t)argc + 1, -1) == 1);
    assert(read(ends[0], buffer, (size_t)argc * 4) == 3);
    pthread_join(thread, NULL);
    return 0;
}
