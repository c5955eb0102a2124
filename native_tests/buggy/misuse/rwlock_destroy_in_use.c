// Main destroys the lock as soon as it got the answer, which the reader gives while it still reads.
// says: destroy
// expect: misuse
// bound preemption:0: pass, traces 1
// bound preemption:1: misuse
#include <pthread.h>
#include <semaphore.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t answered;

static void *answer(void *unused)
{
    pthread_rwlock_rdlock(&lock);
    sem_post(&answered);
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    sem_init(&answered, 0, 0);
    pthread_create(&thread, NULL, answer, NULL);
    sem_wait(&answered);
    pthread_rwlock_destroy(&lock);
    pthread_join(thread, NULL);
    return 0;
}
