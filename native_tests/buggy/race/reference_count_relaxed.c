// The last owner frees an object; dropping a reference with relaxed order does not order the other's use before the free. So it
// is a race without any preemption, one thread after the other.
// compiler: bpor
// says: free
// bound preemption:0..3: race
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object {
    atomic_int references;
    int value;
};

static void drop(struct object *object)
{
    if (atomic_fetch_sub_explicit(&object->references, 1, memory_order_relaxed) == 1)
        free(object);
}

static void *use(void *argument)
{
    struct object *object = argument;
    int seen = object->value;
    drop(object);
    return seen ? NULL : argument;
}

int main(void)
{
    pthread_t thread[2];
    struct object *object = malloc(sizeof *object);
    object->value = 1;
    atomic_store(&object->references, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, use, object);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
