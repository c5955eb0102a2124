// Threads join each other in a chain, the last one in main: whoever finished long ago can still be joined.
// bound none: pass, traces 1
// bound preemption:2: pass, traces 1
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static pthread_t thread[3];

static void *join_previous(void *argument)
{
    intptr_t me = (intptr_t)argument;
    void *sum = NULL;
    if (me > 0)
        assert(pthread_join(thread[me - 1], &sum) == 0);
    return (void *)((intptr_t)sum + me);
}

int main(void)
{
    void *sum;
    for (intptr_t i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, join_previous, (void *)i);
    assert(pthread_join(thread[2], &sum) == 0 && sum == (void *)3);
    return 0;
}
