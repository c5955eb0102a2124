// A join that does not wait: before the thread's end it says EBUSY, after it it joins. Both happen.
// bound none: pass, traces 2
// bound preemption:0: pass, traces 1
// bound preemption:1: pass, traces 2
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *value)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return value;
}

int main(void)
{
    pthread_t thread;
    void *value = NULL;
    int there;
    pthread_create(&thread, NULL, work, &there);
    int result = pthread_tryjoin_np(thread, &value);
    assert(result == 0 || result == EBUSY);
    if (result == EBUSY)
        assert(pthread_join(thread, &value) == 0);
    assert(value == &there);
    return 0;
}
