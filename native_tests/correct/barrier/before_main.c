// A barrier that a constructor initialised.
// bound none: pass, traces 2
#include <pthread.h>

static pthread_barrier_t barrier;

__attribute__((constructor)) static void prepare(void)
{
    pthread_barrier_init(&barrier, NULL, 2);
}

static void *meet(void *unused)
{
    pthread_barrier_wait(&barrier);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, meet, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
