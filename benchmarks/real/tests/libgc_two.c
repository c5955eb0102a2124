// The Boehm collector: two threads allocate, one collects.
#define GC_THREADS
#include <assert.h>
#include <gc.h>

static void *allocator(void *unused)
{
    int *it = GC_MALLOC(sizeof *it);
    *it = 1;
    assert(*it == 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    GC_INIT();
    assert(pthread_create(&thread, NULL, allocator, NULL) == 0);
    GC_gcollect();
    assert(pthread_join(thread, NULL) == 0);
    return 0;
}
