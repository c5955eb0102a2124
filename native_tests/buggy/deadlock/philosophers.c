// Philosophers who all take the left fork first: one of the orientations of the circle is a cycle, and that is the deadlock.
// with N=2, expect: deadlock
// with N=5, expect: deadlock
// with N=2, bound preemption:0: pass, traces 2
// with N=2, bound preemption:1: deadlock, traces 3
// with N=2, bound none: deadlock, traces 3
// with N=3, bound preemption:0: pass, traces 6
// with N=3, bound preemption:1: deadlock, traces 7
// with N=3, bound none: deadlock, traces 7
// with N=4, bound preemption:0: pass, traces 14
// with N=4, bound none: deadlock, traces 15
// with N=5, bound none: deadlock, traces 31
#include <pthread.h>
#include <stdint.h>

#ifndef N
#define N 3
#endif

static pthread_mutex_t fork_of[N];

static void *dine(void *seat)
{
    int left = (int)(intptr_t)seat, right = (left + 1) % N;
    pthread_mutex_lock(&fork_of[left]);
    pthread_mutex_lock(&fork_of[right]);
    pthread_mutex_unlock(&fork_of[right]);
    pthread_mutex_unlock(&fork_of[left]);
    return NULL;
}

int main(void)
{
    pthread_t philosopher[N];
    for (int i = 0; i < N; i++)
        pthread_mutex_init(&fork_of[i], NULL);
    for (intptr_t i = 0; i < N; i++)
        pthread_create(&philosopher[i], NULL, dine, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(philosopher[i], NULL);
    return 0;
}
