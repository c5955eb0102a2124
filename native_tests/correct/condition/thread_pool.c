// A pool of two workers, two jobs and a shutdown: every job runs once, every worker ends.
// bound none: pass, traces 170
// bound preemption:0: pass, traces 2
// bound preemption:1: pass, traces 26
// bound preemption:2: pass, traces 106
#include <assert.h>
#include <pthread.h>

enum { WORKERS = 2, JOBS = 2 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static int queued, done, closing;

static void *serve(void *unused)
{
    pthread_mutex_lock(&mutex);
    for (;;) {
        while (queued == 0 && !closing)
            pthread_cond_wait(&work, &mutex);
        if (queued == 0)
            break;
        queued--;
        done++;
    }
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t worker[WORKERS];
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&worker[i], NULL, serve, NULL);
    for (int i = 0; i < JOBS; i++) {
        pthread_mutex_lock(&mutex);
        queued++;
        pthread_cond_signal(&work);
        pthread_mutex_unlock(&mutex);
    }
    pthread_mutex_lock(&mutex);
    closing = 1;
    pthread_cond_broadcast(&work);
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(worker[i], NULL);
    assert(done == JOBS);
    return 0;
}
