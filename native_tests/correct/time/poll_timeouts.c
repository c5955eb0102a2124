// A timed poll beside a thread that polls and yields times out, and takes no real time; an hour passes on every clock.
// args: 3600000
// bound fair:2,preemption:1: pass
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int ends[2], timed_out, milliseconds = 1;

static void *wait_in_vain(void *unused)
{
    struct pollfd one = {.fd = ends[0], .events = POLLIN};
    struct timespec before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    assert(poll(&one, 1, milliseconds) == 0);
    clock_gettime(CLOCK_MONOTONIC, &after);
    assert(after.tv_sec - before.tv_sec >= milliseconds / 1000);
    pthread_mutex_lock(&mutex);
    timed_out = 1;
    pthread_mutex_unlock(&mutex);
    return unused;
}

static int has_timed_out(void)
{
    pthread_mutex_lock(&mutex);
    int seen = timed_out;
    pthread_mutex_unlock(&mutex);
    return seen;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    if (argc > 1)
        milliseconds = atoi(argv[1]);
    assert(pipe(ends) == 0);
    pthread_create(&thread, NULL, wait_in_vain, NULL);
    while (!has_timed_out())
        sched_yield();
    pthread_join(thread, NULL);
    return 0;
}
