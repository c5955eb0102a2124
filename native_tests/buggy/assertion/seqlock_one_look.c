// A seqlock whose reader does not look at the number again. The reader sees an even number and reads low, and is left; the writer
// writes both; the reader reads the new high, a torn pair. One preemption, between the reader's look and its last read; without
// it either is done before the other begins.
// compiler: bpor
// bound fair:2,preemption:0: pass
// bound fair:2,preemption:1..3: assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint sequence;
static atomic_int low, high;

static void *write_pair(void *unused)
{
    atomic_fetch_add(&sequence, 1);
    atomic_store_explicit(&low, 1, memory_order_relaxed);
    atomic_store_explicit(&high, 1, memory_order_relaxed);
    atomic_fetch_add(&sequence, 1);
    return unused;
}

static void *read_pair(void *unused)
{
    while (atomic_load(&sequence) & 1)
        continue;
    int one = atomic_load_explicit(&low, memory_order_relaxed);
    int other = atomic_load_explicit(&high, memory_order_relaxed);
    assert(one == other);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, write_pair, NULL);
    pthread_create(&thread[1], NULL, read_pair, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
