// One condition for two purposes is fine if every change is broadcast: two producers, one consumer of two items.
// bound none: pass, traces 16
// bound preemption:0: pass, traces 8
// bound preemption:1: pass, traces 16
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int slot, full, taken;

static void *put(void *item)
{
    pthread_mutex_lock(&mutex);
    while (full)
        pthread_cond_wait(&changed, &mutex);
    slot = *(int *)item;
    full = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void *take_twice(void *unused)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&mutex);
        while (!full)
            pthread_cond_wait(&changed, &mutex);
        taken += slot;
        full = 0;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

int main(void)
{
    pthread_t thread[3];
    int item[2] = {1, 2};
    pthread_create(&thread[0], NULL, put, &item[0]);
    pthread_create(&thread[1], NULL, put, &item[1]);
    pthread_create(&thread[2], NULL, take_twice, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    assert(taken == 3);
    return 0;
}
