// Whoever draws the first ticket writes the result, later. Main looks at it when the thread that it made first has ended: if that one came
// second, the other may still be about to write, which is a race. With --symmetry the first would always be the thread that main joins first.
// compiler: bpor
// options: --symmetry=same --bound none
// expect: uncontrolled
// says: T1 and T2 started alike, but their joiner goes on before it has joined both
#include <pthread.h>
#include <stdatomic.h>

static atomic_int tickets;
static int result;
static volatile int seen;

static void *draw(void *unused)
{
    if (atomic_fetch_add(&tickets, 1) == 0)
        result = 1;
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, draw, NULL);
    pthread_join(thread[0], NULL);
    seen = result;
    pthread_join(thread[1], NULL);
    return 0;
}
