/* THREADS threads, each of which loads and stores one atomic ROUNDS times. */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int counter;

static void *add(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        int seen = atomic_load(&counter);
        atomic_store(&counter, seen + 1);
    }
    return unused;
}

int main(void)
{
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, add, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
