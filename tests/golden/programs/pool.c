// Objects that are reached through pointers: one has the same name everywhere, two are called differently in the two threads.
#include <pthread.h>
#include <stdlib.h>

struct queue {
    int head;
    pthread_mutex_t lock;
};
struct account {
    long balance;
    pthread_mutex_t lock;
};
struct pool {
    int threads;
    struct queue queue;
    struct account *accounts;
};

static void transfer(struct account *from, struct account *to)
{
    pthread_mutex_lock(&from->lock);
    pthread_mutex_lock(&to->lock);
    from->balance--;
    to->balance++;
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
}

static void push(struct queue *q)
{
    pthread_mutex_lock(&q->lock);
    q->head++;
    pthread_mutex_unlock(&q->lock);
}

static void *pay(void *argument)
{
    struct pool *pool = argument;
    push(&pool->queue);
    transfer(&pool->accounts[0], &pool->accounts[1]);
    return NULL;
}

static void *refund(void *argument)
{
    struct pool *pool = argument;
    push(&pool->queue);
    transfer(&pool->accounts[1], &pool->accounts[0]);
    return NULL;
}

int main(void)
{
    struct pool *pool = calloc(1, sizeof *pool);
    pool->accounts = calloc(2, sizeof *pool->accounts);
    pthread_mutex_init(&pool->queue.lock, NULL);
    for (int i = 0; i < 2; i++)
        pthread_mutex_init(&pool->accounts[i].lock, NULL);
    pthread_t one, two;
    pthread_create(&one, NULL, pay, pool);
    pthread_create(&two, NULL, refund, pool);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
