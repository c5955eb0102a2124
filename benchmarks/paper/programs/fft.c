// A parallel FFT: THREADS threads each transform a part, add it to the result under the one lock and tell so under a lock of their own.
#include <complex.h>
#include <pthread.h>

#ifndef THREADS
#define THREADS 5
#endif
#define POINTS 8

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static double complex result[POINTS * THREADS];
static struct {
    pthread_mutex_t lock;
    int done;
} told[THREADS];

static void *part(void *argument)
{
    long number = (long)argument;
    double complex mine[POINTS];
    for (int k = 0; k < POINTS; k++) {
        mine[k] = 0;
        for (int n = 0; n < POINTS; n++)
            mine[k] += (number + n) * (((k * n) & 1) ? -1.0 : 1.0);
    }
    pthread_mutex_lock(&lock);
    for (int k = 0; k < POINTS; k++)
        result[number * POINTS + k] += mine[k];
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&told[number].lock);
    told[number].done = 1;
    pthread_mutex_unlock(&told[number].lock);
    return 0;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_mutex_init(&told[i].lock, 0);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, part, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    return 0;
}
