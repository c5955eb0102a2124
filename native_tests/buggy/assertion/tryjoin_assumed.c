// Takes it for granted that a thread which has given its answer has also ended.
// expect: assertion
// bound preemption:0: pass, traces 1
// bound preemption:1: assertion
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t answered;

static void *answer(void *unused)
{
    sem_post(&answered);
    return unused;
}

int main(void)
{
    pthread_t thread;
    sem_init(&answered, 0, 0);
    pthread_create(&thread, NULL, answer, NULL);
    sem_wait(&answered);
    assert(pthread_tryjoin_np(thread, NULL) == 0);
    return 0;
}
