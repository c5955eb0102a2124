// A thread waits on a condition with the inner mutex released and the outer one held; the thread that would signal needs the
// outer one.
// bound none: deadlock, traces 2
// bound preemption:0: deadlock
#include <pthread.h>

static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *consume(void *unused)
{
    pthread_mutex_lock(&outer);
    pthread_mutex_lock(&inner);
    while (!ready)
        pthread_cond_wait(&changed, &inner);
    pthread_mutex_unlock(&inner);
    pthread_mutex_unlock(&outer);
    return unused;
}

static void *produce(void *unused)
{
    pthread_mutex_lock(&outer);
    pthread_mutex_lock(&inner);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&inner);
    pthread_mutex_unlock(&outer);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, produce, NULL);
    pthread_create(&thread[1], NULL, consume, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    return 0;
}
