// A lock taken by trying and yielding until it works; the fair bound keeps the loop finite, and it always gets the lock.
// bound fair:2,preemption:2: pass
#include <assert.h>
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *add(void *unused)
{
    while (pthread_mutex_trylock(&mutex) != 0)
        sched_yield();
    counter++;
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
