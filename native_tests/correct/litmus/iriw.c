// Litmus test IRIW: independent reads of independent writes, the readers agree on the order.
// compiler: bpor
// bound none: pass, traces 15
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int x, y;
static int r0, r1, r2, r3;

static void *first(void *unused)
{
    atomic_store(&x, 1);
    return unused;
}

static void *second(void *unused)
{
    atomic_store(&y, 1);
    return unused;
}

static void *third(void *unused)
{
    r0 = atomic_load(&x);
    r1 = atomic_load(&y);
    return unused;
}

static void *fourth(void *unused)
{
    r2 = atomic_load(&y);
    r3 = atomic_load(&x);
    return unused;
}

int main(void)
{
    void *(*body[])(void *) = {first, second, third, fourth};
    enum { THREADS = sizeof body / sizeof body[0] };
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, body[i], NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    printf("%d %d %d %d\n", r0, r1, r2, r3);
    return 0;
}
