// Three threads end the process at once, while exit functions run, each of which is called once.
// bound none: pass
// bound preemption:1: pass
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int calls;

static void count(void)
{
    pthread_mutex_lock(&lock);
    assert(++calls == 1);
    pthread_mutex_unlock(&lock);
}

static void *leave(void *unused)
{
    (void)unused;
    exit(0);
}

int main(void)
{
    pthread_t thread;
    atexit(count);
    pthread_create(&thread, NULL, leave, NULL);
    pthread_create(&thread, NULL, leave, NULL);
    return 0;
}
