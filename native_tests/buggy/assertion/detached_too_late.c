// A detached worker uses what main has already torn down: the flag says so, once in a while.
// expect: assertion
// bound preemption:0: pass, traces 1
// bound preemption:1: assertion, traces 3
// bound none: assertion, traces 3
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int torn_down;

static void *work(void *unused)
{
    pthread_mutex_lock(&mutex);
    assert(!torn_down);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_detach(thread);
    pthread_mutex_lock(&mutex);
    torn_down = 1;
    pthread_mutex_unlock(&mutex);
    return 0;
}
