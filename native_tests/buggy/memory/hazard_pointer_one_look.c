// A hazard pointer whose reader does not look again. The reader reads the pointer and is left; the writer replaces it, sees no
// hazard and frees the object; the reader says that it uses it and does. One preemption, between the reader's two operations;
// without it the hazard is either seen or taken back.
// compiler: bpor
// says: use after free
// bound preemption:0: pass
// bound preemption:1..3: memory
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object {
    int value;
};
static _Atomic(struct object *) current, hazard;

static struct object *new_object(int value)
{
    struct object *object = malloc(sizeof *object);
    object->value = value;
    return object;
}

static void *read_it(void *unused)
{
    struct object *object = atomic_load(&current);
    atomic_store(&hazard, object);
    int seen = object->value;
    atomic_store(&hazard, NULL);
    return seen ? NULL : unused;
}

static void *replace_it(void *unused)
{
    struct object *old = atomic_exchange(&current, new_object(2));
    if (atomic_load(&hazard) != old)
        free(old);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    atomic_store(&current, new_object(1));
    pthread_create(&thread[0], NULL, read_it, NULL);
    pthread_create(&thread[1], NULL, replace_it, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
