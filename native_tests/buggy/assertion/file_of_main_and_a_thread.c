// Main and a thread count in a file, and main never waits for the thread before it looks: that the thread may have ended already
// orders nothing.
// says: is false
// bound preemption:0: pass, traces 1
// bound preemption:1: assertion
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int file;

static void *count(void *unused)
{
    int number = 0;
    ssize_t got = pread(file, &number, sizeof number, 0);
    number += got == sizeof number;
    got = pwrite(file, &number, sizeof number, 0);
    return unused;
}

int main(void)
{
    char path[4096];
    const char *directory = getenv("TMPDIR");
    int number = 0;
    snprintf(path, sizeof path, "%s/count-XXXXXX", directory ? directory : "/tmp");
    file = mkstemp(path);
    unlink(path);
    ssize_t written = pwrite(file, &number, sizeof number, 0);
    pthread_t thread;
    pthread_create(&thread, NULL, count, NULL);
    count(NULL);
    pthread_join(thread, NULL);
    written += pread(file, &number, sizeof number, 0);
    assert(written == 2 * sizeof number && number == 2);
    return 0;
}
