// A thread that yields after each of its five pieces of work is not waiting for anybody: under a fair bound, too, it may be through before
// another one has begun.
// with WAY=0, bound fair:2: assertion
// with WAY=0, bound fair:2,preemption:0: assertion
// with WAY=1, bound fair:2,preemption:0: assertion
// with WAY=2, bound fair:2,preemption:0: assertion
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int pieces;

static void pause_after_work(void)
{
    if (WAY == 0)
        sched_yield();
    else if (WAY == 1)
        usleep(1);
}

static void *work(void *unused)
{
    for (int i = 0; i < 5; i++) {
        pthread_mutex_lock(&mutex);
        pieces++;
        pthread_mutex_unlock(&mutex);
        pause_after_work();
    }
    return unused;
}

static void *look(void *unused)
{
    pthread_mutex_lock(&mutex);
    int seen = pieces;
    pthread_mutex_unlock(&mutex);
    assert(seen < 5);
    return unused;
}

int main(void)
{
    pthread_t worker, observer;
    pthread_create(&worker, NULL, work, NULL);
    pthread_create(&observer, NULL, look, NULL);
    pthread_join(worker, NULL);
    pthread_join(observer, NULL);
    return 0;
}
