// Locks in thread-local memory, of threads that are made by two others in either order: whose lock it is names it, not the address that the
// thread happened to get.
// bound preemption:1: pass
// bound none: pass
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static _Thread_local pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER;
static int made;

static void *child(void *count)
{
    pthread_mutex_lock(&own);
    ++*(int *)count;
    pthread_mutex_unlock(&own);
    return NULL;
}

static void *parent(void *unused)
{
    pthread_t one;
    int count = 0;
    pthread_mutex_lock(&first);
    made++;
    pthread_mutex_unlock(&first);
    pthread_mutex_lock(&own);
    pthread_create(&one, NULL, child, &count);
    pthread_mutex_unlock(&own);
    pthread_join(one, NULL);
    assert(count == 1);
    return unused;
}

int main(void)
{
    pthread_t two[2];
    pthread_mutex_lock(&own);
    pthread_create(&two[0], NULL, parent, NULL);
    pthread_create(&two[1], NULL, parent, NULL);
    pthread_mutex_unlock(&own);
    pthread_join(two[0], NULL);
    pthread_join(two[1], NULL);
    assert(made == 2);
    return 0;
}
