// Yields touch nothing: two threads that only yield have one trace, and leaving after a yield is no preemption.
// bound none: pass, traces 1
// bound preemption:0: pass, traces 1
// bound fair:0: pass, traces 1
#include <pthread.h>
#include <sched.h>

static void *yield_twice(void *unused)
{
    sched_yield();
    sched_yield();
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, yield_twice, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
