// Two threads work for a long time between two operations, on memory that changes with every round: nobody waits, so nothing is a
// yield and there are as many orders as without the work.
// compiler: bpor
// bound none: pass, traces 2
#include <pthread.h>

enum { ROUNDS = 300000 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned sum[2][4];

static void *work(void *argument)
{
    unsigned *mine = argument;
    for (int i = 0; i < ROUNDS; i++)
        mine[i % 4] += mine[(i + 1) % 4] + 1;
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, sum[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return sum[0][0] != sum[1][0];
}
