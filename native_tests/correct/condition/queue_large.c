// A bounded queue with two producers and two consumers, too large to be finished in the executions given unless states are recognised:
// the verdict names what was complete.
// options: --max-executions=5000 --match=off
// expect: inconclusive, slow
// says: complete up to
#include <assert.h>
#include <pthread.h>

enum { CAPACITY = 2, ITEMS = 2 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;
static int filled, taken;

static void *produce(void *unused)
{
    for (int i = 0; i < ITEMS; i++) {
        pthread_mutex_lock(&mutex);
        while (filled == CAPACITY)
            pthread_cond_wait(&not_full, &mutex);
        filled++;
        pthread_cond_signal(&not_empty);
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

static void *consume(void *unused)
{
    for (int i = 0; i < ITEMS; i++) {
        pthread_mutex_lock(&mutex);
        while (filled == 0)
            pthread_cond_wait(&not_empty, &mutex);
        filled--;
        taken++;
        pthread_cond_signal(&not_full);
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

int main(void)
{
    pthread_t thread[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&thread[i], NULL, i < 2 ? produce : consume, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    assert(taken == 2 * ITEMS);
    return 0;
}
