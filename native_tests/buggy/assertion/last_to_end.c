// Main leaves by pthread_exit, so the last thread to end runs the exit handlers. This one expects that it is not the first worker.
// The three workers share nothing: only the order of their ends makes the difference.
// bound none: assertion, traces 16
// bound preemption:0: assertion, traces 6
// bound preemption:1: assertion, traces 16
// expect: assertion
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t own[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static __thread int number;

static void *work(void *mutex)
{
    number = 1 + (int)((pthread_mutex_t *)mutex - own);
    pthread_mutex_lock(mutex);
    pthread_mutex_unlock(mutex);
    return NULL;
}

static void at_the_end(void)
{
    assert(number != 1);
}

int main(void)
{
    pthread_t thread;
    atexit(at_the_end);
    for (int i = 0; i < 3; i++)
        pthread_create(&thread, NULL, work, &own[i]);
    pthread_exit(NULL);
}
