// A barrier of nobody is refused with EINVAL; one of a single thread never blocks and its thread is serial every time.
// bound none: pass, traces 1
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_barrier_t barrier;

static void *meet(void *unused)
{
    for (int i = 0; i < 3; i++)
        assert(pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD);
    return unused;
}

int main(void)
{
    pthread_t thread;
    assert(pthread_barrier_init(&barrier, NULL, 0) == EINVAL);
    assert(pthread_barrier_init(&barrier, NULL, 1) == 0);
    pthread_create(&thread, NULL, meet, NULL);
    pthread_join(thread, NULL);
    assert(pthread_barrier_destroy(&barrier) == 0);
    return 0;
}
