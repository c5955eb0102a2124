// A reader locks again while a writer waits: a lock that prefers writers lets neither of them go on.
// needs: pthread_rwlock_rdlock pthread_rwlock_wrlock
// bound none: deadlock
// bound preemption:2: deadlock
#define _GNU_SOURCE
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static int value;

static int get(void)
{
    pthread_rwlock_rdlock(&lock);
    int seen = value;
    pthread_rwlock_unlock(&lock);
    return seen;
}

static void *read_twice(void *unused)
{
    pthread_rwlock_rdlock(&lock);
    get();
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, read_twice, NULL);
    pthread_rwlock_wrlock(&lock);
    value = 1;
    pthread_rwlock_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
