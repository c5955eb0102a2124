// Four threads under one mutex, behind something long: COMPUTE rounds of arithmetic, or STEPS operations of main.
#include <pthread.h>

enum { THREADS = 4, TABLE = 1024 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static int counter;
static unsigned table[TABLE];

static void *add_twice(void *unused)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&mutex);
        counter++;
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

int main(void)
{
    pthread_t thread[THREADS];
    unsigned long random = 1;
    for (long i = 0; i < COMPUTE; i++) {
        random = random * 6364136223846793005ul + 1442695040888963407ul;
        table[random >> 54]++;
    }
    for (int i = 0; i < STEPS / 2; i++) {
        pthread_mutex_lock(&other);
        pthread_mutex_unlock(&other);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, add_twice, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    return counter != 2 * THREADS;
}
