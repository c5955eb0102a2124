// Litmus test S: a read and a write against two writes, the write cannot lose after 1 was read.
// compiler: bpor
// bound none: pass, traces 3
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int x, y;
static int r0;

static void *first(void *unused)
{
    atomic_store(&x, 2);
    atomic_store(&y, 1);
    return unused;
}

static void *second(void *unused)
{
    r0 = atomic_load(&y);
    atomic_store(&x, 1);
    return unused;
}

int main(void)
{
    void *(*body[])(void *) = {first, second};
    enum { THREADS = sizeof body / sizeof body[0] };
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, body[i], NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    printf("%d %d\n", r0, atomic_load(&x));
    return 0;
}
