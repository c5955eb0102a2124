// Mutexes with each static initialiser exclude two threads. Each of the four may be taken in either order: 2^4 traces.
// bound none: pass, traces 16
// bound preemption:0: pass, traces 2
// bound preemption:1: pass, traces 8
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex[4] = {
    PTHREAD_MUTEX_INITIALIZER,
    PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP,
    PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP,
    PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP,
};
static int counter[4];

static void *add(void *first)
{
    for (int i = 0; i < 4; i++) {
        assert(pthread_mutex_lock(&mutex[i]) == 0);
        counter[i]++;
        assert(pthread_mutex_unlock(&mutex[i]) == 0);
    }
    return first;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < 4; i++)
        assert(counter[i] == 2);
    return 0;
}
