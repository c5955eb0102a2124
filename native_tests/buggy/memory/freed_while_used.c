// A worker still uses an atomic in a block that main frees too early: the free is tried before and after every use.
// compiler: bpor
// says: use after free
// bound preemption:0: memory
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct shared {
    atomic_int ready;
    atomic_int done;
};

static void *work(void *argument)
{
    struct shared *shared = argument;
    atomic_store_explicit(&shared->ready, 1, memory_order_relaxed);
    atomic_store_explicit(&shared->done, 1, memory_order_release);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    struct shared *shared = calloc(1, sizeof *shared);
    pthread_create(&thread, NULL, work, shared);
    if (atomic_load(&shared->ready) == 0 || atomic_load_explicit(&shared->done, memory_order_acquire))
        free(shared); /* before the worker began, or after it ended: the first is wrong */
    pthread_join(thread, NULL);
    return 0;
}
