/* A queue of one item between producers and consumers. */
#include <pthread.h>
#include <stdbool.h>

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool full;
    int item;
};

static inline void queue_init(struct queue *queue)
{
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->changed, NULL);
    queue->full = false;
}

static inline void queue_put(struct queue *queue, int item)
{
    pthread_mutex_lock(&queue->lock);
    while (queue->full)
        pthread_cond_wait(&queue->changed, &queue->lock);
    queue->item = item;
    queue->full = true;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
}

static inline int queue_take(struct queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    if (!queue->full)
        pthread_cond_wait(&queue->changed, &queue->lock);
    int item = queue->item;
    queue->item = -1;
    queue->full = false;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
    return item;
}
