// An exit handler changes the status: it sees that the detached worker was not done.
// expect: exit
// bound preemption:0: exit
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void check(void)
{
    pthread_mutex_lock(&mutex);
    int seen = done;
    pthread_mutex_unlock(&mutex);
    if (!seen)
        _Exit(5);
}

static void *work(void *unused)
{
    pthread_mutex_lock(&mutex);
    done = 1;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    atexit(check);
    pthread_create(&thread, NULL, work, NULL);
    return 0;
}
