// A thread on a stack the program brought: its variables lie there.
// bound none: pass, traces 1
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum { STACK = 1 << 20 };

static char *stack;

static void *look(void *unused)
{
    volatile char here = 0;
    assert((char *)&here >= stack && (char *)&here < stack + STACK);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_attr_t attributes;
    stack = aligned_alloc(4096, STACK);
    pthread_attr_init(&attributes);
    assert(pthread_attr_setstack(&attributes, stack, STACK) == 0);
    assert(pthread_create(&thread, &attributes, look, NULL) == 0);
    pthread_attr_destroy(&attributes);
    assert(pthread_join(thread, NULL) == 0);
    free(stack);
    return 0;
}
