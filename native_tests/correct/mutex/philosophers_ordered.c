// Philosophers who take the lower fork first never deadlock. A trace is an acyclic orientation of the circle's edges, one per
// fork shared by two.
// with N=2, bound none: pass, traces 2
// with N=3, bound none: pass, traces 6
// with N=4, bound none: pass, traces 14
// with N=5, bound none: pass, traces 30
// with N=3, bound preemption:0: pass, traces 6
// with N=3, bound preemption:1: pass, traces 6
// with N=4, bound preemption:0: pass, traces 14
// with N=5, bound preemption:0: pass, traces 30
#include <pthread.h>
#include <stdint.h>

#ifndef N
#define N 3
#endif

static pthread_mutex_t fork_of[N];

static void *dine(void *seat)
{
    int left = (int)(intptr_t)seat, right = (left + 1) % N;
    int first = left < right ? left : right, second = left < right ? right : left;
    pthread_mutex_lock(&fork_of[first]);
    pthread_mutex_lock(&fork_of[second]);
    pthread_mutex_unlock(&fork_of[second]);
    pthread_mutex_unlock(&fork_of[first]);
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
    for (int i = 0; i < N; i++)
        pthread_mutex_destroy(&fork_of[i]);
    return 0;
}
