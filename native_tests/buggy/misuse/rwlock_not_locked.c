// An rwlock is unlocked once more than it was locked.
// needs: pthread_rwlock_unlock
// says: unlock
// bound none: misuse
#include <pthread.h>

int main(void)
{
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);
    return 0;
}
