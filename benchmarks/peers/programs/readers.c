/* One thread writes an atomic, THREADS threads read it. */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int value;

static void *write_it(void *unused)
{
    atomic_store(&value, 1);
    return unused;
}

static void *read_it(void *unused)
{
    (void)atomic_load(&value);
    return unused;
}

int main(void)
{
    pthread_t writer, reader[THREADS];
    pthread_create(&writer, NULL, write_it, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&reader[i], NULL, read_it, NULL);
    pthread_join(writer, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(reader[i], NULL);
    return 0;
}
