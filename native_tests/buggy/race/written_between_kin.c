// Main makes two threads that start alike, and writes a variable between the two creations. Whoever comes second reads it: the thread that
// was made second has seen the write, the first one has not. So the two are not interchangeable.
// compiler: bpor
// options: --symmetry=same
// bound none: race
#include <pthread.h>
#include <stdatomic.h>

static atomic_int arrived;
static int written;
static volatile int seen[2];

static void *arrive(void *unused)
{
    if (atomic_fetch_add_explicit(&arrived, 1, memory_order_relaxed) == 1)
        seen[0] = written;
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, arrive, NULL);
    written = 1;
    pthread_create(&thread[1], NULL, arrive, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
