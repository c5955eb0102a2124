// Unlock of a read-write lock that nobody holds.
// says: not locked
// bound none: misuse, traces 1
#include <pthread.h>

int main(void)
{
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    pthread_rwlock_unlock(&lock);
    return 0;
}
