// A writer of more than a pipe holds waits for the reader, piece by piece, and everything arrives.
// needs: pipe read write close
// bound preemption:0: pass
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

enum { BYTES = 200 * 1000 };

static int ends[2];
static char data[BYTES];

static void *send(void *unused)
{
    assert(write(ends[1], data, BYTES) == BYTES);
    close(ends[1]);
    return unused;
}

int main(void)
{
    pthread_t thread;
    char buffer[65536];
    long total = 0, got;
    assert(pipe(ends) == 0);
    pthread_create(&thread, NULL, send, NULL);
    while ((got = read(ends[0], buffer, sizeof buffer)) > 0)
        total += got;
    assert(got == 0 && total == BYTES);
    pthread_join(thread, NULL);
    return 0;
}
