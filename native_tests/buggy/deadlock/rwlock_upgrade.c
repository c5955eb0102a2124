// Two readers want to become writers without letting go first: each waits for the other to leave.
// needs: pthread_rwlock_rdlock pthread_rwlock_wrlock
// bound none: deadlock, traces 1
// bound preemption:0: deadlock
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *upgrade(void *unused)
{
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, upgrade, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
