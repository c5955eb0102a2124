// The fairness microbenchmark: each of three threads raises its flag and polls its neighbour's, yielding. Endless without a fair bound.
#include <pthread.h>
#include <sched.h>

enum { THREADS = 3 };

static pthread_mutex_t lock[THREADS];
static int flag[THREADS];

static int read_flag(long number)
{
    pthread_mutex_lock(&lock[number]);
    int value = flag[number];
    pthread_mutex_unlock(&lock[number]);
    return value;
}

static void *spinner(void *argument)
{
    long number = (long)argument;
    pthread_mutex_lock(&lock[number]);
    flag[number] = 1;
    pthread_mutex_unlock(&lock[number]);
    while (!read_flag((number + 1) % THREADS))
        sched_yield();
    return 0;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_mutex_init(&lock[i], 0);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, spinner, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    return 0;
}
