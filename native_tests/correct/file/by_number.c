// System calls by number mean the same as by name: a pipe, a poll and a sleep of an hour, all through syscall(). The sleeper's hour is
// over when its byte is there.
// args: 3600
// bound none: pass, traces 1
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int ends[2];
static long seconds;

static time_t now(void)
{
    struct timespec time;
    assert(syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time) == 0);
    return time.tv_sec;
}

static void *send(void *unused)
{
    struct timespec interval = {.tv_sec = seconds}, bad = {.tv_sec = -1};
    assert(syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &bad, NULL) == -1 && errno == EINVAL);
    assert(syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &interval, NULL) == 0);
    assert(syscall(SYS_write, ends[1], "x", 1L) == 1);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    char byte;
    seconds = argc > 1 ? atol(argv[1]) : 0;
    assert(syscall(SYS_pipe2, ends, O_CLOEXEC) == 0);
    struct pollfd one = {.fd = ends[0], .events = POLLIN};
    time_t before = now();
    pthread_create(&thread, NULL, send, NULL);
    assert(syscall(SYS_poll, &one, 1L, -1) == 1);
    assert(now() - before >= seconds);
    assert(syscall(SYS_read, ends[0], &byte, 1L) == 1);
    pthread_join(thread, NULL);
    assert(syscall(SYS_close, ends[0]) == 0 && syscall(SYS_close, ends[0]) == -1 && errno == EBADF);
    return 0;
}
