// Main returns without waiting for a worker that would fail: usually the process is gone before it does.
// expect: assertion
// bound preemption:0: pass, traces 1
// bound preemption:1: assertion
// bound none: assertion, traces 2
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int initialised;

static void *fail(void *unused)
{
    pthread_mutex_lock(&mutex);
    assert(initialised);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, fail, NULL);
    return 0;
}
