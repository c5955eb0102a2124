// A switch after a yield is free: with a yield between the critical sections every order is within zero preemptions.
// bound preemption:0: pass, traces 6
// bound none: pass, traces 6
#include <assert.h>
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *add_twice(void *unused)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&mutex);
        counter++;
        pthread_mutex_unlock(&mutex);
        sched_yield();
    }
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, add_twice, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert(counter == 4);
    return 0;
}
