/* Treiber's stack: THREADS threads, each of which pushes a node of its own and pops one. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

struct node {
    struct node *below;
};
static struct node node[THREADS];
static _Atomic(struct node *) top;

static void push(struct node *mine)
{
    struct node *old = atomic_load(&top);
    do
        mine->below = old;
    while (!atomic_compare_exchange_strong(&top, &old, mine));
}

static struct node *pop(void)
{
    struct node *old = atomic_load(&top);
    while (old && !atomic_compare_exchange_strong(&top, &old, old->below))
        continue;
    return old;
}

static void *push_and_pop(void *argument)
{
    push(&node[(intptr_t)argument]);
    assert(pop());
    return NULL;
}

int main(void)
{
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, push_and_pop, (void *)(intptr_t)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
