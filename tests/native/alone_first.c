/* main is alone for a while, then three threads take turns. With an argument main does something else in each execution while it is
 * alone. */
#include <pthread.h>
#include <sched.h>
#include <x86intrin.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;

static void *take(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    sched_yield();
    pthread_mutex_lock(&other);
    pthread_mutex_unlock(&other);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread[3];
    (void)argv;
    for (int i = 0; i < 5; i++) {
        take(NULL);
        if (argc > 1 && __rdtsc() >> 4 & 1)
            sched_yield();
    }
    for (int i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, take, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
