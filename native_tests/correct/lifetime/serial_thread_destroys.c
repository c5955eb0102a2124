// The serial thread of a barrier destroys and frees it: destroying waits for those who have not left.
// bound preemption:0..2: pass
#include <pthread.h>
#include <stdlib.h>

static void *meet(void *barrier)
{
    if (pthread_barrier_wait(barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
        pthread_barrier_destroy(barrier);
        free(barrier);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    pthread_barrier_t *barrier = malloc(sizeof *barrier);
    pthread_barrier_init(barrier, NULL, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, meet, barrier);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
