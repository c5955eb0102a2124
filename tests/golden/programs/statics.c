// Two threads, two locks, two orders. What leads to the locks are static variables: one of heap memory, one of a mapping, one
// that moves on.
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

struct queue {
    int size;
    pthread_mutex_t lock;
};

struct pool {
    long id;
    struct queue queue;
};

static struct pool *pool;
static struct {
    int generation;
    struct queue *shared;
} tables[2];
static pthread_mutex_t *current; // leads to another lock when the second thread comes: nobody's name

static void *forth(void *unused)
{
    pthread_mutex_lock(&pool->queue.lock);
    pthread_mutex_lock(&tables[1].shared->lock);
    pthread_mutex_unlock(&tables[1].shared->lock);
    pthread_mutex_unlock(&pool->queue.lock);
    return unused;
}

static void *back(void *unused)
{
    current = &pool->queue.lock;
    pthread_mutex_lock(&tables[1].shared->lock);
    pthread_mutex_lock(&pool->queue.lock);
    pthread_mutex_unlock(&pool->queue.lock);
    pthread_mutex_unlock(&tables[1].shared->lock);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pool = calloc(1, sizeof *pool);
    tables[1].shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    current = &tables[1].shared->lock;
    pthread_mutex_init(&pool->queue.lock, NULL);
    pthread_mutex_init(&tables[1].shared->lock, NULL);
    pthread_create(&threads[0], NULL, forth, NULL);
    pthread_create(&threads[1], NULL, back, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
