// A bounded queue with one condition for "not full" and "not empty": with a producer and two consumers a signal can reach the
// wrong one, who waits again, and everybody sleeps. It takes no preemption.
// expect: deadlock
// bound preemption:0: deadlock, traces 20
// bound none: deadlock, traces 40
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int full;

static void *put_twice(void *unused)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&mutex);
        while (full)
            pthread_cond_wait(&changed, &mutex);
        full = 1;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

static void *take(void *unused)
{
    pthread_mutex_lock(&mutex);
    while (!full)
        pthread_cond_wait(&changed, &mutex);
    full = 0;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread[3];
    pthread_create(&thread[0], NULL, take, NULL);
    pthread_create(&thread[1], NULL, take, NULL);
    pthread_create(&thread[2], NULL, put_twice, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
