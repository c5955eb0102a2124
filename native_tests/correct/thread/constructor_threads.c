// A constructor makes threads, before main: their schedules are explored too.
// bound none: pass, traces 2
// bound preemption:0: pass, traces 2
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int first;

static void *arrive(void *number)
{
    pthread_mutex_lock(&mutex);
    if (first == 0)
        first = *(int *)number;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

__attribute__((constructor)) static void prepare(void)
{
    static int number[] = {1, 2};
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, arrive, &number[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert(first == 1 || first == 2);
}

static void *nothing(void *unused)
{
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, nothing, NULL);
    pthread_join(thread, NULL);
    return 0;
}
