// Main sleeps "long enough" instead of joining: real time promises no order.
// expect: assertion
// bound preemption:0: assertion, traces 2
// args: 60
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void *work(void *unused)
{
    pthread_mutex_lock(&mutex);
    done = 1;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    if (argc > 1)
        sleep((unsigned)atoi(argv[1]));
    else
        pthread_join(thread, NULL);
    pthread_mutex_lock(&mutex);
    assert(done);
    pthread_mutex_unlock(&mutex);
    return 0;
}
