// Two threads meet at a barrier again and again until a flag is set that nobody sets.
// expect: livelock
// says: can never end
#include <pthread.h>
#include <stdatomic.h>

static pthread_barrier_t barrier;
static atomic_int stop;

static void *meet(void *unused)
{
    while (!atomic_load(&stop))
        pthread_barrier_wait(&barrier);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    pthread_barrier_init(&barrier, NULL, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, meet, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
