// Four spin locks without a yield: exchange, test-and-test-and-set, compare-exchange, atomic_flag.
// compiler: bpor
// says: yields inferred at test_and_set.c
// with LOCK=0, bound fair:2,preemption:2: pass
// with LOCK=1, bound fair:2,preemption:2: pass
// with LOCK=2, bound fair:2,preemption:2: pass
// with LOCK=3, bound fair:2,preemption:2: pass
#include <pthread.h>
#include <stdatomic.h>

#ifndef LOCK
#define LOCK 1
#endif

static atomic_int word;
static atomic_flag simple = ATOMIC_FLAG_INIT;
static int counter; /* protected by the lock: a race if the lock fails */

static void lock(void)
{
    int free = 0;
    switch (LOCK) {
    case 0:
        while (atomic_exchange_explicit(&word, 1, memory_order_acquire))
            continue;
        break;
    case 1:
        do
            while (atomic_load_explicit(&word, memory_order_relaxed))
                continue;
        while (atomic_exchange_explicit(&word, 1, memory_order_acquire));
        break;
    case 2:
        while (!atomic_compare_exchange_weak_explicit(&word, &free, 1, memory_order_acquire, memory_order_relaxed))
            free = 0;
        break;
    default:
        while (atomic_flag_test_and_set_explicit(&simple, memory_order_acquire))
            continue;
    }
}

static void unlock(void)
{
    if (LOCK == 3)
        atomic_flag_clear_explicit(&simple, memory_order_release);
    else
        atomic_store_explicit(&word, 0, memory_order_release);
}

static void *count(void *unused)
{
    lock();
    counter++;
    unlock();
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, count, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return counter != 2;
}
