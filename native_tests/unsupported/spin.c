// A loop on an inline atomic without a call is out of sight where machine code is left alone: the watchdog ends it and names the line.
// options: --watchdog=2s --machine-code=off
// says: spin.c
// expect: uncontrolled
#include <pthread.h>
#include <stdatomic.h>

static atomic_int ready;

static void *spin(void *unused)
{
    while (!ready)
        continue;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, spin, NULL);
    ready = 1;
    pthread_join(thread, NULL);
    return 0;
}
