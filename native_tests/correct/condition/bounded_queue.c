// A bounded queue of capacity one as it should be: two conditions, waits in loops; one producer of two items, one consumer.
// bound none: pass, traces 8
// bound preemption:0: pass, traces 2
// bound preemption:1: pass, traces 6
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static int slot, full;

static void put(int item)
{
    pthread_mutex_lock(&mutex);
    while (full)
        pthread_cond_wait(&not_full, &mutex);
    slot = item;
    full = 1;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&mutex);
}

static int take(void)
{
    pthread_mutex_lock(&mutex);
    while (!full)
        pthread_cond_wait(&not_empty, &mutex);
    int item = slot;
    full = 0;
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&mutex);
    return item;
}

static void *produce(void *unused)
{
    put(1);
    put(2);
    return unused;
}

static void *consume(void *unused)
{
    assert(take() == 1);
    assert(take() == 2);
    return unused;
}

int main(void)
{
    pthread_t producer, consumer;
    pthread_create(&producer, NULL, produce, NULL);
    pthread_create(&consumer, NULL, consume, NULL);
    pthread_join(producer, NULL);
    pthread_join(consumer, NULL);
    return 0;
}
