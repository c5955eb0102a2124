// A lock taken by trying again and again, without a yield in the source: a repeated failure counts as one.
// says: yields inferred at bare_trylock.c:14
// bound fair:2,preemption:1..3: pass
// bound fair:2: pass
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *add(void *unused)
{
    while (pthread_mutex_trylock(&mutex) != 0)
        continue;
    counter++;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert(counter == 2);
    return 0;
}
