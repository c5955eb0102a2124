// Two readers and a writer of one rwlock: readers do not exclude each other and their order is no difference, so each reader is
// before or after the writer: four traces.
// needs: pthread_rwlock_rdlock pthread_rwlock_wrlock pthread_rwlock_unlock
// bound none: pass, traces 4
// bound preemption:0: pass, traces 4
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int a, b;

static void *read_both(void *unused)
{
    assert(pthread_rwlock_rdlock(&lock) == 0);
    assert(a == b);
    assert(pthread_rwlock_unlock(&lock) == 0);
    return unused;
}

static void *write_both(void *unused)
{
    assert(pthread_rwlock_wrlock(&lock) == 0);
    a++;
    b++;
    assert(pthread_rwlock_unlock(&lock) == 0);
    return unused;
}

int main(void)
{
    pthread_t thread[3];
    pthread_create(&thread[0], NULL, read_both, NULL);
    pthread_create(&thread[1], NULL, write_both, NULL);
    pthread_create(&thread[2], NULL, read_both, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
