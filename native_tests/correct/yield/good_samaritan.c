// A thread polls under a mutex and never yields; another sets what it waits for, under the same mutex. It ends under every scheduler that
// lets the other in now and then: no livelock, though the other cannot run while the mutex is held, and each round takes it again.
// compiler: bpor
// says: it ends only if the scheduler is fair
// expect: pass
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int ready;

static int is_ready(void)
{
    pthread_mutex_lock(&mutex);
    int seen = ready;
    pthread_mutex_unlock(&mutex);
    return seen;
}

static void *poll_until_ready(void *unused)
{
    while (!is_ready())
        continue;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, poll_until_ready, NULL);
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
