// A reader that holds the lock waits for another reader, who gets in beside it: no deadlock, and no order between them.
// needs: pthread_rwlock_rdlock pthread_rwlock_unlock
// bound none: pass, traces 1
// bound preemption:2: pass, traces 1
#include <pthread.h>
#include <semaphore.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t inside;

static void *wait_inside(void *unused)
{
    pthread_rwlock_rdlock(&lock);
    sem_wait(&inside);
    pthread_rwlock_unlock(&lock);
    return unused;
}

static void *post_inside(void *unused)
{
    pthread_rwlock_rdlock(&lock);
    sem_post(&inside);
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    sem_init(&inside, 0, 0);
    pthread_create(&thread[0], NULL, wait_inside, NULL);
    pthread_create(&thread[1], NULL, post_inside, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    return 0;
}
