// The stack size asked for is the one a thread gets: half of 8 MiB is used and written in each.
// bound none: pass, traces 1
#include <assert.h>
#include <pthread.h>
#include <string.h>

enum { STACK = 8 << 20, USED = STACK / 2 };

static void *use_stack(void *unused)
{
    volatile char space[USED];
    memset((char *)space, 1, USED);
    assert(space[0] == 1 && space[USED - 1] == 1);
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    pthread_attr_t attributes;
    size_t size;
    pthread_attr_init(&attributes);
    assert(pthread_attr_setstacksize(&attributes, STACK) == 0);
    assert(pthread_attr_getstacksize(&attributes, &size) == 0 && size == STACK);
    for (int i = 0; i < 2; i++)
        assert(pthread_create(&thread[i], &attributes, use_stack, NULL) == 0);
    pthread_attr_destroy(&attributes);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
