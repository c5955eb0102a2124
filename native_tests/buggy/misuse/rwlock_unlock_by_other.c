// A thread releases the reading of another one.
// says: does not hold
// bound none: misuse, traces 1
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *release(void *unused)
{
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_rwlock_rdlock(&lock);
    pthread_create(&thread, NULL, release, NULL);
    pthread_join(thread, NULL);
    return 0;
}
