// Concurrency Kit: a ring of one producer and one consumer.
#include <assert.h>
#include <ck_ring.h>
#include <pthread.h>

static ck_ring_t ring;
static ck_ring_buffer_t slots[4];
static int numbers[2] = {1, 2};

static void *producer(void *unused)
{
    for (int i = 0; i < 2; i++)
        assert(ck_ring_enqueue_spsc(&ring, slots, &numbers[i]));
    return unused;
}

int main(void)
{
    pthread_t thread;
    int last = 0;
    void *got;
    ck_ring_init(&ring, 4);
    assert(pthread_create(&thread, NULL, producer, NULL) == 0);
    for (int i = 0; i < 2; i++)
        if (ck_ring_dequeue_spsc(&ring, slots, &got)) {
            assert(*(int *)got == last + 1);
            last = *(int *)got;
        }
    assert(pthread_join(thread, NULL) == 0);
    while (ck_ring_dequeue_spsc(&ring, slots, &got))
        assert(*(int *)got == ++last);
    assert(last == 2);
    return 0;
}
