/* Most executions fail in one way. That in which the last thread takes all its turns first, which a search comes to late, fails
 * in another. */
#include <assert.h>
#include <pthread.h>

enum { THREADS = 3, TURNS = 2 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long order[THREADS * TURNS + 1];
static int count;

static void *take_turns(void *id)
{
    for (int i = 0; i < TURNS + (id == (void *)(THREADS - 1)); i++) {
        pthread_mutex_lock(&mutex);
        order[count++] = (long)id;
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, take_turns, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    assert(order[0] != 2 || order[1] != 2 || order[2] != 2);
    assert(order[0] == 2);
    return 0;
}
