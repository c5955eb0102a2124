// A loop on an inline atomic without a call: the machine code tells its reads, a fair scheduler lets it end.
// machine: x86_64
// expect: pass
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
