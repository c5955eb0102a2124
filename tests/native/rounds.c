/* Rounds: two threads that have nothing to do with each other come and end, then two that meet at a lock. One of all the orders
 * in which those may meet fails. A search that loses the state behind the quiet ones of some round ends too early. */
#include <assert.h>
#include <pthread.h>
#ifndef ROUNDS
#define ROUNDS 4
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t own[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int first, later;

static void *be_quiet(void *mutex)
{
    pthread_mutex_lock(mutex);
    pthread_mutex_unlock(mutex);
    return NULL;
}

static void *meet(void *argument)
{
    pthread_mutex_lock(&lock);
    if (!first)
        first = argument == &own[1] ? 2 : 1;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void run_two(void *(*body)(void *))
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, body, &own[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
}

int main(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        first = 0;
        run_two(be_quiet);
        run_two(meet);
        later = 2 * later + (first == 2);
    }
    assert(later != (1 << ROUNDS) - 1);
    return 0;
}
