// Treiber's stack with nodes from a pool (ABA). A pop reads the top, node 1, and its next, node 0, and is left; the other thread
// pops both and pushes 1 again; the first pop's exchange succeeds, because the top is 1, and makes 0 the top, which nobody
// pushed. One preemption, between the look at next and the exchange; without it every pop is whole.
// compiler: bpor
// bound preemption:0: pass
// bound preemption:1..3: assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { NODES = 2, EMPTY = -1 };
static struct {
    atomic_int next;
} node[NODES];
static atomic_int top = EMPTY;

static void push(int which)
{
    int old = atomic_load(&top);
    do
        atomic_store(&node[which].next, old);
    while (!atomic_compare_exchange_strong(&top, &old, which));
}

static int pop(void)
{
    int old = atomic_load(&top);
    while (old != EMPTY && !atomic_compare_exchange_strong(&top, &old, atomic_load(&node[old].next)))
        continue;
    return old;
}

static void *pop_one(void *unused)
{
    pop();
    return unused;
}

static void *pop_two_push_one(void *unused)
{
    int first = pop(), second = pop();
    if (first == 1 && second == 0)
        push(first); /* 0 stays out, but the sleeper still takes it for the next of 1 */
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    push(0);
    push(1);
    pthread_create(&thread[0], NULL, pop_one, NULL);
    pthread_create(&thread[1], NULL, pop_two_push_one, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert(pop() != 0); /* nobody ever pushes it back */
    return 0;
}
