// Two threads meet at a barrier twice: each round has exactly one serial thread, whoever arrives last. Leaving the first round is
// independent of arriving at the second: 2 x 2 traces.
// needs: pthread_barrier_wait
// bound none: pass, traces 4
// bound preemption:0: pass, traces 2
#include <assert.h>
#include <pthread.h>

static pthread_barrier_t barrier;
static int serial[2];

static void *meet_twice(void *unused)
{
    for (int round = 0; round < 2; round++) {
        int result = pthread_barrier_wait(&barrier);
        assert(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
        if (result == PTHREAD_BARRIER_SERIAL_THREAD)
            serial[round]++;
    }
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    assert(pthread_barrier_init(&barrier, NULL, 2) == 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, meet_twice, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert(serial[0] == 1 && serial[1] == 1);
    assert(pthread_barrier_destroy(&barrier) == 0);
    return 0;
}
