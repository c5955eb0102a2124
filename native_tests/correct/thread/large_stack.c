// A thread that asked for a large stack can use it.
// bound none: pass, traces 1
#include <assert.h>
#include <pthread.h>

enum { MEGABYTE = 1 << 20, STACK = 40 * MEGABYTE };

static void *fill(void *unused)
{
    volatile char large[32 * MEGABYTE];
    for (size_t i = 0; i < sizeof large; i += 4096)
        large[i] = 1;
    return large[4096] ? unused : &fill;
}

int main(void)
{
    pthread_t thread;
    pthread_attr_t attributes;
    void *value = NULL;
    pthread_attr_init(&attributes);
    assert(pthread_attr_setstacksize(&attributes, STACK) == 0);
    assert(pthread_create(&thread, &attributes, fill, NULL) == 0);
    assert(pthread_join(thread, &value) == 0 && value == NULL);
    return 0;
}
