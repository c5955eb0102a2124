// Two hundred short threads, each joined before the next is created: nothing to interleave, one trace.
// bound none: pass, traces 1
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *add(void *unused)
{
    pthread_mutex_lock(&mutex);
    counter++;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    for (int i = 0; i < 200; i++) {
        pthread_t thread;
        assert(pthread_create(&thread, NULL, add, NULL) == 0);
        assert(pthread_join(thread, NULL) == 0);
    }
    assert(counter == 200);
    return 0;
}
