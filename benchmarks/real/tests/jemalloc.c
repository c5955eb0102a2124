// jemalloc, by its own names: blocks are allocated by one thread and freed by another, beside its own.
#include <assert.h>
#include <jemalloc/jemalloc.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

static char *passed;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *other(void *unused)
{
    char *own = mallocx(40, 0);
    memset(own, 2, 40);
    pthread_mutex_lock(&lock);
    char *foreign = passed;
    passed = NULL;
    pthread_mutex_unlock(&lock);
    if (foreign != NULL)
        dallocx(foreign, 0);
    assert(own[39] == 2);
    dallocx(own, 0);
    return unused;
}

int main(void)
{
    pthread_t thread;
    passed = mallocx(40, 0);
    assert(pthread_create(&thread, NULL, other, NULL) == 0);
    char *own = mallocx(40, 0);
    memset(own, 1, 40);
    assert(own[39] == 1);
    dallocx(own, 0);
    assert(pthread_join(thread, NULL) == 0);
    return 0;
}
