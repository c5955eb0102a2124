// A thread reads `data` atomically, or does not, and nothing shows it later: the memory is the same both ways. Only after the way
// with the read does the plain write race with it, and the loop before that write comes back to its state.
// compiler: bpor
// expect: race
// bound fair:1: race
#include <pthread.h>
#include <stdatomic.h>

static atomic_int choice, go;
static int data;

static void *read_or_not(void *unused)
{
    if (atomic_load_explicit(&choice, memory_order_relaxed))
        atomic_load_explicit((atomic_int *)&data, memory_order_relaxed);
    atomic_store_explicit(&go, 1, memory_order_relaxed);
    return unused;
}

static void *choose(void *unused)
{
    atomic_store_explicit(&choice, 1, memory_order_relaxed);
    atomic_store_explicit(&choice, 0, memory_order_relaxed);
    return unused;
}

static void *write_late(void *unused)
{
    while (!atomic_load_explicit(&go, memory_order_relaxed))
        continue;
    data = 1;
    return unused;
}

int main(void)
{
    pthread_t thread[3];
    pthread_create(&thread[0], NULL, read_or_not, NULL);
    pthread_create(&thread[1], NULL, choose, NULL);
    pthread_create(&thread[2], NULL, write_late, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
