// Treiber's stack with nodes from a pool and a count beside the top, so that a re-used node is not taken for the old one.
// compiler: bpor
// bound preemption:0..3: pass
// bound none: pass
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

enum { NODES = 2, EMPTY = 0xff };
static atomic_int next[NODES];
static _Atomic uint64_t top = EMPTY; /* count << 8 | node */

static int node_of(uint64_t word)
{
    return word & 0xff;
}

static uint64_t with(uint64_t old, int node)
{
    return ((old >> 8) + 1) << 8 | (uint64_t)node;
}

static void push(int which)
{
    uint64_t old = atomic_load(&top);
    do
        atomic_store(&next[which], node_of(old));
    while (!atomic_compare_exchange_strong(&top, &old, with(old, which)));
}

static int pop(void)
{
    uint64_t old = atomic_load(&top);
    while (node_of(old) != EMPTY && !atomic_compare_exchange_strong(&top, &old, with(old, atomic_load(&next[node_of(old)]))))
        continue;
    return node_of(old);
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
        push(first);
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
