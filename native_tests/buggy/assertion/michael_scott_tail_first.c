// Michael and Scott's queue that swings the tail before it links the node. A thread is left in between; the other puts its node
// behind the one that nobody can reach, and its get finds the queue empty although it has just put something in. One preemption,
// between swing and link; without it every put is whole.
// compiler: bpor
// bound fair:2,preemption:0: pass
// bound fair:2,preemption:1..3: assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct node {
    int value;
    _Atomic(struct node *) next;
};
static struct node pool[3];
static _Atomic(struct node *) head = &pool[0], tail = &pool[0];

static void put(struct node *node, int value)
{
    node->value = value;
    struct node *last = atomic_exchange(&tail, node);
    atomic_store(&last->next, node);
}

static int get(void)
{
    for (;;) {
        struct node *first = atomic_load(&head), *next = atomic_load(&first->next);
        if (next == NULL)
            return 0;
        if (atomic_compare_exchange_strong(&head, &first, next))
            return next->value;
    }
}

static void *work(void *argument)
{
    intptr_t me = (intptr_t)argument;
    put(&pool[1 + me], 1 + (int)me);
    assert(get() != 0);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    for (intptr_t i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
