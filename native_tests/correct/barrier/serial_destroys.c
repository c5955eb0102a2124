// The serial thread destroys and frees the barrier at once: destroying waits for those who are still about to leave.
// bound none: pass, traces 2
// bound preemption:1: pass, traces 2
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_barrier_t *barrier;

static void *meet(void *unused)
{
    if (pthread_barrier_wait(barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
        assert(pthread_barrier_destroy(barrier) == 0);
        free(barrier);
    }
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    barrier = malloc(sizeof *barrier);
    assert(pthread_barrier_init(barrier, NULL, 2) == 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, meet, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
