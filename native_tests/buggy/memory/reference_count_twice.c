// Dropping a reference by a load and a store: two threads both see the last one, or neither does.
// compiler: bpor
// says: double free
// bound preemption:0: pass
// bound preemption:1: memory
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int references = 2;
static int *object;

static void *drop(void *unused)
{
    atomic_store(&references, atomic_load(&references) - 1);
    if (atomic_load(&references) == 0)
        free(object);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    object = malloc(sizeof *object);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, drop, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
