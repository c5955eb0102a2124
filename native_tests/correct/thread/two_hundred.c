// Two hundred short-lived threads, ten at a time; they meet at nothing but their own results.
// bound none: pass, traces 1
#include <assert.h>
#include <pthread.h>

enum { ROUNDS = 20, TOGETHER = 10 };

static pthread_mutex_t mutex[TOGETHER];
static int count[TOGETHER];

static void *add(void *number)
{
    long self = (long)number;
    pthread_mutex_lock(&mutex[self]);
    count[self]++;
    pthread_mutex_unlock(&mutex[self]);
    return NULL;
}

int main(void)
{
    pthread_t thread[TOGETHER];
    for (long i = 0; i < TOGETHER; i++)
        pthread_mutex_init(&mutex[i], NULL);
    for (int round = 0; round < ROUNDS; round++) {
        for (long i = 0; i < TOGETHER; i++)
            assert(pthread_create(&thread[i], NULL, add, (void *)i) == 0);
        for (int i = 0; i < TOGETHER; i++)
            pthread_join(thread[i], NULL);
    }
    for (int i = 0; i < TOGETHER; i++)
        assert(count[i] == ROUNDS);
    return 0;
}
