// A seqlock: the reader repeats until it saw the same even number twice, and never returns a torn pair. Its fences keep the data, which
// is relaxed, inside (Boehm, "Can seqlocks get along with programming language memory models?", MSPC 2012): seq_cst of the number alone
// does not.
// compiler: bpor
// bound fair:2,preemption:0..3: pass
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint sequence;
static atomic_int low, high;

static void *write_pair(void *unused)
{
    atomic_fetch_add(&sequence, 1);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&low, 1, memory_order_relaxed);
    atomic_store_explicit(&high, 1, memory_order_relaxed);
    atomic_fetch_add(&sequence, 1);
    return unused;
}

static void *read_pair(void *unused)
{
    unsigned before;
    int one, other;
    do {
        while ((before = atomic_load(&sequence)) & 1)
            continue;
        one = atomic_load_explicit(&low, memory_order_relaxed);
        other = atomic_load_explicit(&high, memory_order_relaxed);
        atomic_thread_fence(memory_order_acquire);
    } while (atomic_load(&sequence) != before);
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
