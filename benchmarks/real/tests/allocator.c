// Of an allocator, by its own names (-DMALLOC, -DFREE): blocks are allocated by one thread and freed by another, beside its own.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

void *MALLOC(size_t);
void FREE(void *);

static char *passed;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *other(void *unused)
{
    char *own = MALLOC(40);
    memset(own, 2, 40);
    pthread_mutex_lock(&lock);
    char *foreign = passed;
    passed = NULL;
    pthread_mutex_unlock(&lock);
    FREE(foreign);
    assert(own[39] == 2);
    FREE(own);
    return unused;
}

int main(void)
{
    pthread_t thread;
    passed = MALLOC(40);
    assert(pthread_create(&thread, NULL, other, NULL) == 0);
    char *own = MALLOC(40);
    memset(own, 1, 40);
    assert(own[39] == 1);
    FREE(own);
    assert(pthread_join(thread, NULL) == 0);
    return 0;
}
