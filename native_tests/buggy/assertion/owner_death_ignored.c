// Takes EOWNERDEAD for success and goes on without the data being repaired. The failing step depends on everything, so main's
// join of the dead thread comes before it or after it: three traces.
// expect: assertion
// bound none: assertion, traces 3
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex;
static int balance[2] = {50, 50};

static void *die_halfway(void *unused)
{
    pthread_mutex_lock(&mutex);
    balance[0] -= 10;
    return unused;
}

static void *audit(void *unused)
{
    pthread_mutex_lock(&mutex);
    assert(balance[0] + balance[1] == 100);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &attributes);
    pthread_create(&thread[0], NULL, die_halfway, NULL);
    pthread_create(&thread[1], NULL, audit, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    return 0;
}
