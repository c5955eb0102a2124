/* Ten threads that all conflict; the first one fails if the last one has run before it: far from where a search begins. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef THREADS
#define THREADS 10
#endif
static atomic_int count, last_was_here;

static void *first(void *unused)
{
    (void)unused;
    assert(!atomic_load(&last_was_here));
    atomic_fetch_add(&count, 1);
    return NULL;
}

static void *between(void *unused)
{
    (void)unused;
    atomic_fetch_add(&count, 1);
    atomic_fetch_add(&count, 1);
    return NULL;
}

static void *last(void *unused)
{
    (void)unused;
    atomic_fetch_add(&count, 1);
    atomic_store(&last_was_here, 1);
    return NULL;
}

int main(void)
{
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, i == 0 ? first : i == THREADS - 1 ? last : between, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
