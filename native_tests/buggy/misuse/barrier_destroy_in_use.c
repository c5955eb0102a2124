// Main destroys a barrier at which a thread waits; it may also come before the thread does, which is misuse as well.
// says: barrier
// expect: misuse
// bound none: misuse, traces 2
#include <pthread.h>

static pthread_barrier_t barrier;

static void *meet(void *unused)
{
    pthread_barrier_wait(&barrier);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, meet, NULL);
    pthread_barrier_destroy(&barrier);
    pthread_join(thread, NULL);
    return 0;
}
