// Each writes its half behind the barrier instead of before it, and reads the other's.
// bound none: assertion
// bound preemption:0: assertion
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static pthread_barrier_t barrier;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int half[2];

static void *work(void *number)
{
    int mine = (int)(intptr_t)number;
    pthread_barrier_wait(&barrier);
    pthread_mutex_lock(&mutex);
    half[mine] = 1;
    assert(half[1 - mine] == 1);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    pthread_barrier_init(&barrier, NULL, 2);
    for (intptr_t i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
