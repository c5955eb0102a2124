// Main waits for the answer and destroys the mutex, under which the worker gave the answer and may still be.
// says: destroy
// expect: misuse
// bound preemption:0: pass, traces 1
// bound preemption:1: misuse
// bound none: misuse, traces 2
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t answered;

static void *answer(void *unused)
{
    pthread_mutex_lock(&mutex);
    sem_post(&answered);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    sem_init(&answered, 0, 0);
    pthread_create(&thread, NULL, answer, NULL);
    sem_wait(&answered);
    pthread_mutex_destroy(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
