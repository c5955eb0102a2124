// Michael and Scott's queue whose get frees the node it takes out. A thread is left with that node in its hand, read from head or
// tail; the other puts, gets and frees it; the first one looks at its next, a use after free. Or it had just looked, and then
// nothing orders that look before the free, a race. One preemption each; without it nobody holds a node while another one gets.
// compiler: bpor
// options: --keep-going
// says: use after free
// bound fair:2,preemption:0: pass
// bound fair:2,preemption:1..3: memory and race
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

struct node {
    int value;
    _Atomic(struct node *) next;
};
static _Atomic(struct node *) head, tail;

static struct node *new_node(int value)
{
    struct node *node = malloc(sizeof *node);
    node->value = value;
    atomic_init(&node->next, NULL);
    return node;
}

static void put(struct node *node)
{
    for (;;) {
        struct node *last = atomic_load(&tail), *next = atomic_load(&last->next);
        if (next) {
            atomic_compare_exchange_strong(&tail, &last, next); /* help */
        } else if (atomic_compare_exchange_strong(&last->next, &next, node)) {
            atomic_compare_exchange_strong(&tail, &last, node);
            return;
        }
    }
}

static int get(void)
{
    for (;;) {
        struct node *first = atomic_load(&head), *last = atomic_load(&tail), *next = atomic_load(&first->next);
        if (next == NULL)
            return 0;
        int value = next->value;
        if (first == last) {
            atomic_compare_exchange_strong(&tail, &last, next);
        } else if (atomic_compare_exchange_strong(&head, &first, next)) {
            free(first);
            return value;
        }
    }
}

static void *work(void *argument)
{
    put(new_node(1 + (int)(intptr_t)argument));
    get();
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    struct node *empty = new_node(0);
    atomic_store(&head, empty);
    atomic_store(&tail, empty);
    for (intptr_t i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
