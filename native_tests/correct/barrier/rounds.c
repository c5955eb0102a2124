// Nobody leaves before all have come, one of them is the serial thread, and the barrier serves again. Arrivals are ordered;
// leaving is not, but in the next round it comes before or after the others' arrival.
// options: --machine-code=off
// bound none: pass, traces 2
// bound preemption:0: pass, traces 2
// with THREADS=3, bound none: pass, traces 6
// with ROUNDS=2, bound none: pass, traces 4
// with ROUNDS=2, bound preemption:0: pass, traces 2
// with ROUNDS=2, bound preemption:1: pass, traces 4
#include <assert.h>
#include <pthread.h>

#ifndef THREADS
#define THREADS 2
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif

static pthread_barrier_t barrier;
static int arrived[ROUNDS], serial[ROUNDS];

static void *work(void *unused)
{
    for (int round = 0; round < ROUNDS; round++) {
        __atomic_fetch_add(&arrived[round], 1, __ATOMIC_SEQ_CST);
        int result = pthread_barrier_wait(&barrier);
        assert(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
        if (result == PTHREAD_BARRIER_SERIAL_THREAD)
            __atomic_fetch_add(&serial[round], 1, __ATOMIC_SEQ_CST);
        assert(arrived[round] == THREADS);
    }
    return unused;
}

int main(void)
{
    pthread_t thread[THREADS];
    assert(pthread_barrier_init(&barrier, NULL, THREADS) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    for (int round = 0; round < ROUNDS; round++)
        assert(serial[round] == 1);
    assert(pthread_barrier_destroy(&barrier) == 0);
    return 0;
}
