// A consumer that does not look at the flag again: the signal may come first.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static int items;
static pthread_mutex_t *pool;

static inline __attribute__((always_inline)) void take(int *from)
{
    *from -= 1;
}

static void *consume(void *unused)
{
    pthread_mutex_lock(&m);
    pthread_cond_wait(&ready, &m);
    take(&items);
    pthread_mutex_unlock(&m);
    return unused;
}

static void *produce(void *unused)
{
    pthread_mutex_lock(&m);
    items += 1;
    pthread_cond_signal(&ready);
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pool = malloc(4 * sizeof *pool);
    pthread_mutex_lock(&pool[1]);
    pthread_create(&threads[0], 0, consume, 0);
    pthread_create(&threads[1], 0, produce, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
    assert(items == 0);
    pthread_mutex_unlock(&pool[0]);
    return items;
}
