// A cache looks under a read lock and fills under a write lock, without looking again in between.
// needs: pthread_rwlock_rdlock pthread_rwlock_wrlock
// expect: assertion
// bound preemption:0: pass, traces 2
// bound preemption:1: assertion, traces 5
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int filled;

static void *get(void *unused)
{
    pthread_rwlock_rdlock(&lock);
    int missing = !filled;
    pthread_rwlock_unlock(&lock);
    if (missing) {
        pthread_rwlock_wrlock(&lock);
        assert(!filled);
        filled = 1;
        pthread_rwlock_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, get, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
