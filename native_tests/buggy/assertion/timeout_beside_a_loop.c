// A thread waits with a timeout while another polls for what a third can only do later. Nobody stands still, and the time is up all
// the same: a loop that comes back to its state must not keep time from passing.
// expect: assertion
// bound fair:2,preemption:2: assertion
// says: is false
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t done;
static atomic_int ready;

static void *poll(void *unused)
{
    pthread_mutex_lock(&mutex);
    while (!atomic_load(&ready))
        sched_yield();
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *wait(void *unused)
{
    struct timespec deadline = {.tv_sec = time(NULL) + 5};
    assert(sem_timedwait(&done, &deadline) == 0);
    return unused;
}

static void *set(void *unused)
{
    if (pthread_mutex_trylock(&mutex) != 0)
        pthread_mutex_lock(&mutex);
    atomic_store(&ready, 1);
    pthread_mutex_unlock(&mutex);
    sem_post(&done);
    return unused;
}

int main(void)
{
    void *(*const runs[])(void *) = {poll, wait, set};
    pthread_t thread[3];
    sem_init(&done, 0, 0);
    for (int i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, runs[i], NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
