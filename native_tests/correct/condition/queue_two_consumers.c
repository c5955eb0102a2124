// A bounded queue with one producer of two items and two consumers of one: every schedule with at most two preemptions, and all
// of them.
// bound preemption:0: pass, traces 16
// bound preemption:2: pass, traces 32
// bound none: pass, traces 32
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static int slot, full, taken;

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

static void *produce(void *unused)
{
    put(1);
    put(2);
    return unused;
}

static void *consume(void *unused)
{
    pthread_mutex_lock(&mutex);
    while (!full)
        pthread_cond_wait(&not_empty, &mutex);
    taken += slot;
    full = 0;
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread[3];
    pthread_create(&thread[0], NULL, produce, NULL);
    pthread_create(&thread[1], NULL, consume, NULL);
    pthread_create(&thread[2], NULL, consume, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    assert(taken == 3);
    return 0;
}
