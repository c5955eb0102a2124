// A counter is read in one critical section and written in another: one of the two increments is lost.
// bound preemption:0: pass, traces 2
// bound preemption:1: assertion, traces 4
// bound none: assertion, traces 6
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *add(void *unused)
{
    pthread_mutex_lock(&mutex);
    int seen = counter;
    pthread_mutex_unlock(&mutex);
    pthread_mutex_lock(&mutex);
    counter = seen + 1;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert(counter == 2);
    return 0;
}
