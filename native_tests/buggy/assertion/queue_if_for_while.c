// A bounded queue whose consumer waits with `if`: between the signal and its waking another consumer takes the item.
// expect: assertion
// bound preemption:0: pass, traces 10
// bound preemption:1: assertion, traces 27
// bound none: assertion, traces 27
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
static int items;

static void *consume(void *unused)
{
    pthread_mutex_lock(&mutex);
    if (items == 0)
        pthread_cond_wait(&not_empty, &mutex);
    assert(items > 0);
    items--;
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *produce_twice(void *unused)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&mutex);
        items++;
        pthread_cond_signal(&not_empty);
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

int main(void)
{
    pthread_t thread[3];
    pthread_create(&thread[0], NULL, consume, NULL);
    pthread_create(&thread[1], NULL, consume, NULL);
    pthread_create(&thread[2], NULL, produce_twice, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
