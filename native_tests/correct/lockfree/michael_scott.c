// Michael and Scott's queue, nodes never freed: two threads put and get, every value comes out once and in its producer's order.
// compiler: bpor
// bound preemption:0..3: pass
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
        if (first == last)
            atomic_compare_exchange_strong(&tail, &last, next);
        else if (atomic_compare_exchange_strong(&head, &first, next))
            return next->value;
    }
}

static int got[2];

static void *work(void *argument)
{
    intptr_t me = (intptr_t)argument;
    put(&pool[1 + me], 1 + (int)me);
    got[me] = get();
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    for (intptr_t i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert(got[0] + got[1] == 3 && got[0] != got[1]);
    return 0;
}
