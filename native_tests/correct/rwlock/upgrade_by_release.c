// Read, release, write, look again: the check under the write lock makes it right.
// bound none: pass, traces 4
// bound preemption:0: pass, traces 2
// bound preemption:1: pass, traces 4
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int initialised;

static void *initialise(void *unused)
{
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_wrlock(&lock);
    if (!initialised)
        initialised++;
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, initialise, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert(initialised == 1);
    return 0;
}
