// The flag is checked in one critical section and waited for in the next: the signal can come in between, and is lost.
// expect: deadlock
// bound preemption:0: pass, traces 1
// bound preemption:1: pass, traces 2
// bound preemption:2: deadlock, traces 3
// bound none: deadlock, traces 3
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static int is_ready(void)
{
    pthread_mutex_lock(&mutex);
    int seen = ready;
    pthread_mutex_unlock(&mutex);
    return seen;
}

static void *wait_until_ready(void *unused)
{
    if (!is_ready()) {
        pthread_mutex_lock(&mutex);
        pthread_cond_wait(&changed, &mutex);
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, wait_until_ready, NULL);
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
