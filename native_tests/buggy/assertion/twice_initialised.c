// Check, unlock, initialise: two threads find the object missing and both make one.
// expect: assertion
// bound preemption:0: pass, traces 2
// bound preemption:1: assertion, traces 4
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int exists, made;

static void *get(void *unused)
{
    pthread_mutex_lock(&mutex);
    int missing = !exists;
    pthread_mutex_unlock(&mutex);
    if (missing) {
        pthread_mutex_lock(&mutex);
        exists = 1;
        made++;
        pthread_mutex_unlock(&mutex);
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
    assert(made == 1);
    return 0;
}
