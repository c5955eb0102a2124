// The classic: the waiter sees that the job is done and frees it before the worker, who has let go of the mutex, signals. Two
// preemptions, of main before its lock, so that it need not wait, and of the worker between its unlock and its signal.
// says: use after free: signal on a condition
// bound preemption:0..1: pass
// bound preemption:2: memory
#include <pthread.h>
#include <stdlib.h>

struct job {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int done;
};

static void *work(void *argument)
{
    struct job *job = argument;
    pthread_mutex_lock(&job->lock);
    job->done = 1;
    pthread_mutex_unlock(&job->lock);
    pthread_cond_signal(&job->changed);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    struct job *job = calloc(1, sizeof *job);
    pthread_mutex_init(&job->lock, NULL);
    pthread_cond_init(&job->changed, NULL);
    pthread_create(&thread, NULL, work, job);
    pthread_mutex_lock(&job->lock);
    while (!job->done)
        pthread_cond_wait(&job->changed, &job->lock);
    pthread_mutex_unlock(&job->lock);
    free(job);
    pthread_join(thread, NULL);
    return 0;
}
