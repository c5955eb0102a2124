// A parallel FFT: THREADS threads each transform a part and add it to the result under the one lock.
#include <complex.h>
#include <pthread.h>

#ifndef THREADS
#define THREADS 8
#endif
#define POINTS 8

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static double complex result[POINTS * THREADS];

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
    return 0;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, part, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    return 0;
}
