/* Two consumers take what one producer puts: 1 and 2, in any order. */
#include "queue.h"
#include <assert.h>

static struct queue queue;

static void *consume(void *taken)
{
    *(int *)taken = queue_take(&queue);
    return NULL;
}

int main(void)
{
    pthread_t consumer[2];
    int taken[2];
    queue_init(&queue);
    for (int i = 0; i < 2; i++)
        pthread_create(&consumer[i], NULL, consume, &taken[i]);
    queue_put(&queue, 1);
    queue_put(&queue, 2);
    for (int i = 0; i < 2; i++)
        pthread_join(consumer[i], NULL);
    assert(taken[0] + taken[1] == 3);
    return 0;
}
