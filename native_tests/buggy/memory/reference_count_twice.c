// A reference is dropped by a load and a store, and the count looked at once more. One thread stores 1 and is left; the other
// stores 0, sees 0 and frees; the first one looks, sees 0 and frees again. One preemption, between a thread's store and its look;
// without it the first thread sees 1.
// compiler: bpor
// says: double free
// bound preemption:0: pass
// bound preemption:1..3: memory
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
