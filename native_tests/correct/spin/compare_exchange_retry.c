// Two threads add one by compare-exchange until it works. Either is whole before the other reads, or both have read and one exchange
// fails and is tried again: four orders, the last two with one preemption.
// compiler: bpor
// bound preemption:0: pass, traces 2
// bound preemption:1..3: pass, traces 4
// bound fair:2: pass, traces 4
// bound none: pass, traces 4
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int counter;

static void *add(void *unused)
{
    int seen = atomic_load(&counter);
    while (!atomic_compare_exchange_weak(&counter, &seen, seen + 1))
        continue;
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return counter != 2;
}
