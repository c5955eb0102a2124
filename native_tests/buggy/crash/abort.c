// abort() without an assertion, in one of the two orders.
// expect: crash
// says: SIGABRT
// bound preemption:0: pass, traces 1
// bound none: crash, traces 2
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int configured;

static void *run(void *unused)
{
    pthread_mutex_lock(&mutex);
    if (!configured)
        abort();
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    pthread_mutex_lock(&mutex);
    configured = 1;
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
