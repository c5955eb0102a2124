// select tells which pipe can be read, takes what is left of its time, and with no descriptors it is a sleep; all in virtual time.
// args: 3600
// bound none: pass
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

static int ends[2];

static void *send(void *unused)
{
    assert(write(ends[1], "x", 1) == 1);
    return unused;
}

static fd_set reading(void)
{
    fd_set set;
    FD_ZERO(&set);
    FD_SET(ends[0], &set);
    return set;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    long seconds = argc > 1 ? atol(argv[1]) : 0;
    struct timeval little = {.tv_sec = seconds, .tv_usec = 1000}, bad = {.tv_sec = -1};
    struct timespec before, after, none = {0};
    assert(pipe(ends) == 0);
    fd_set set = reading();
    assert(pselect(ends[0] + 1, &set, NULL, NULL, &none, NULL) == 0 && !FD_ISSET(ends[0], &set));
    clock_gettime(CLOCK_MONOTONIC, &before);
    set = reading();
    assert(select(ends[0] + 1, &set, NULL, NULL, &little) == 0 && little.tv_sec == 0 && little.tv_usec == 0);
    little.tv_sec = seconds;
    assert(select(0, NULL, NULL, NULL, &little) == 0);
    clock_gettime(CLOCK_MONOTONIC, &after);
    assert(after.tv_sec - before.tv_sec >= 2 * seconds);
    assert(select(0, NULL, NULL, NULL, &bad) == -1 && errno == EINVAL);
    pthread_create(&thread, NULL, send, NULL);
    set = reading();
    assert(select(ends[0] + 1, &set, NULL, NULL, NULL) == 1 && FD_ISSET(ends[0], &set));
    pthread_join(thread, NULL);
    fd_set writing;
    FD_ZERO(&writing);
    FD_SET(ends[1], &writing);
    assert(select(ends[1] + 1, NULL, &writing, NULL, NULL) == 1);
    return 0;
}
