// A thread creates a thread and main joins both, the grandchild by the id its parent passed on. Start and join order nothing
// else.
// bound none: pass, traces 2
// bound preemption:0: pass, traces 1
// bound preemption:1: pass, traces 2
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_t grandchild;
static int counter;

static void *add(void *unused)
{
    pthread_mutex_lock(&mutex);
    counter++;
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *create_and_add(void *unused)
{
    pthread_create(&grandchild, NULL, add, NULL);
    return add(unused);
}

int main(void)
{
    pthread_t child;
    pthread_create(&child, NULL, create_and_add, NULL);
    pthread_join(child, NULL);
    pthread_join(grandchild, NULL);
    assert(counter == 2);
    return 0;
}
