// A ring of two slots with one semaphore for free slots and one for items: the classic, one producer and one consumer.
// bound none: pass, traces 9
// bound preemption:0: pass, traces 1
// bound preemption:1: pass, traces 5
// bound preemption:2: pass, traces 9
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

enum { SLOTS = 2, ITEMS = 3 };

static sem_t free_slots, items;
static int ring[SLOTS];

static void *produce(void *unused)
{
    for (int i = 0; i < ITEMS; i++) {
        sem_wait(&free_slots);
        ring[i % SLOTS] = i;
        sem_post(&items);
    }
    return unused;
}

static void *consume(void *unused)
{
    for (int i = 0; i < ITEMS; i++) {
        sem_wait(&items);
        assert(ring[i % SLOTS] == i);
        sem_post(&free_slots);
    }
    return unused;
}

int main(void)
{
    pthread_t producer, consumer;
    sem_init(&free_slots, 0, SLOTS);
    sem_init(&items, 0, 0);
    pthread_create(&producer, NULL, produce, NULL);
    pthread_create(&consumer, NULL, consume, NULL);
    pthread_join(producer, NULL);
    pthread_join(consumer, NULL);
    return 0;
}
