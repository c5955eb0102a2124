// Two threads wait for one flag and only one of them is signalled.
// expect: deadlock
// bound preemption:0: pass, traces 2
// bound preemption:1: deadlock, traces 10
// bound none: deadlock, traces 10
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *wait_until_ready(void *unused)
{
    pthread_mutex_lock(&mutex);
    while (!ready)
        pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, wait_until_ready, NULL);
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
