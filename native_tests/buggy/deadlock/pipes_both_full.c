// Two threads send each other more than a pipe holds before either reads: both wait for room.
// bound preemption:0: deadlock
#include <pthread.h>
#include <unistd.h>

enum { BYTES = 100 * 1000 };

static int there[2], back[2];
static char data[BYTES];

static void exchange(int out, int in)
{
    static char answer[2][BYTES];
    if (write(out, data, BYTES) != BYTES)
        _exit(1);
    for (long total = 0; total < BYTES;)
        total += read(in, answer[in == back[0]], BYTES);
}

static void *other(void *unused)
{
    exchange(back[1], there[0]);
    return unused;
}

int main(void)
{
    pthread_t thread;
    if (pipe(there) != 0 || pipe(back) != 0)
        return 1;
    pthread_create(&thread, NULL, other, NULL);
    exchange(there[1], back[0]);
    pthread_join(thread, NULL);
    return 0;
}
