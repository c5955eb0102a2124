// Three threads write before the barrier and read the others' values after it: the barrier orders everything. 3! orders of
// arrival.
// needs: pthread_barrier_wait
// bound none: pass, traces 6
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static pthread_barrier_t barrier;
static int value[3];

static void *work(void *argument)
{
    intptr_t me = (intptr_t)argument;
    value[me] = 1;
    pthread_barrier_wait(&barrier);
    assert(value[0] + value[1] + value[2] == 3);
    return NULL;
}

int main(void)
{
    pthread_t thread[3];
    pthread_barrier_init(&barrier, NULL, 3);
    for (intptr_t i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, work, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    pthread_barrier_destroy(&barrier);
    return 0;
}
